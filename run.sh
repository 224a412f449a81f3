#!/usr/bin/env bash
# The one entry point: sets up, builds, tests and runs. `./run.sh help` lists the commands.
# All messages of this script go to stderr, so that the stdout of `./run.sh run …` is that of the program.
set -euo pipefail

caller_dir=$PWD
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$root"
readonly caller_dir root

help() {
  cat <<'TEXT'
usage: ./run.sh [COMMAND] [ARGS…]

  (nothing)        sets up, builds, runs configs/quickstart.yaml; prints its tables and the report's path
  setup            installs what is missing and chooses a LibTorch
  build            builds build/lengthwise                        [--preset dev|asan|system-torch]
  test             builds and runs every test                     [--system-torch] [arguments for ctest]
  run ARGS…        builds, then runs build/lengthwise ARGS…       example: ./run.sh run list encodings
  bench ARGS…      builds, then runs build/lengthwise bench ARGS…
  lint             runs clang-format and clang-tidy               [--format | --quick: format, names, sizes | --fix]
  sanitize         runs every test under the address and undefined-behaviour sanitizers   [arguments for ctest]
  parity           compares checkpoints, exports and tokens with transformers and tokenizers, in a Python
                   environment of its own; also on the models of `get` that are present
  get [NAME…]      downloads a model or a text into models/; without a name, lists them with size and license
  help             prints this text

First steps
  ./run.sh                               from a fresh clone to a report; later runs skip what is done
  ./run.sh run run my.yaml --dry-run     checks your config and prints the plan
  ./run.sh test -R core                  runs the tests without LibTorch, in seconds

LibTorch: the first of these that fits. `./run.sh setup` prints the choice and the reasons.
  1. the folder in CMAKE_PREFIX_PATH, Torch_DIR or LIBTORCH    example: LIBTORCH=/opt/libtorch ./run.sh
  2. the torch of the active Python
  3. .venv, where setup installs a CPU build of torch 2.13.0
  4. the system's libtorch-dev

apt installs the packages that are missing (never with LW_NO_APT=1). Everything else stays in this folder,
in .venv, .cache, build, runs and models, which git ignores. Delete them to start afresh.
TEXT
}
# shellcheck source=cmake/setup.sh
source cmake/setup.sh

# --- build ------------------------------------------------------------------------------------------

# A file with LibTorch takes up to 2 GB to compile.
build_jobs() {
  local cores memory_gb
  cores=$(nproc)
  memory_gb=$(awk '/^MemAvailable/ {print int($2 / 2097152)}' /proc/meminfo)
  echo $((memory_gb < 1 ? 1 : memory_gb < cores ? memory_gb : cores))
}

# configure PRESET: runs CMake only if the preset, the LibTorch or the compiler has changed since last time.
# Changed CMake files are seen by ninja itself.
configure() {
  local preset=$1 folder=build/$1 flags=() key
  [[ $preset == system-torch ]] || flags=("-DLIBTORCH=$torch_root")
  key="$root|${flags[*]}|${CXX:-}|${CXXFLAGS:-}|$(cksum <CMakePresets.json)"
  [[ ! -f $folder/build.ninja || $(cat "$folder/run_sh.stamp" 2>/dev/null) != "$key" ]] || return 0
  mkdir -p "$folder"
  rm -f "$folder/run_sh.stamp"
  say "configuring $folder"
  # need_torch has checked what the user points at: CMake gets its choice.
  env -u LIBTORCH -u Torch_DIR cmake --fresh --preset "$preset" "${flags[@]}" >"$folder/configure.log" 2>&1 || {
    tail -n 40 "$folder/configure.log" >&2
    die "CMake could not configure $folder (see $folder/configure.log)"
  }
  grep -E '^-- LibTorch' "$folder/configure.log" | sed 's/^-- /run.sh: /' >&2 || true
  echo "$key" >"$folder/run_sh.stamp"
}

# announce FOLDER TARGET: prints the number of steps of a build, and how long it takes. A step takes about four
# processor seconds (docs/building.md).
announce() {
  local steps jobs minutes
  steps=$(ninja -C "$1" -n "$2" 2>/dev/null | sed -nE 's#^\[[0-9]+/([0-9]+)\].*#\1#p' | tail -n 1)
  ((${steps:-0} > 5)) || return 0
  jobs=$(build_jobs)
  minutes=$(((steps * 40 / jobs + 599) / 600))
  say "building $2: $steps steps, $jobs at a time; takes about $minutes min, less with a warm ccache"
}

# build PRESET TARGET: ninja shows [n/N] as it goes; a build with nothing to do prints nothing.
build() {
  local preset=$1 target=$2 folder=build/$1 idle
  configure "$preset"
  export CCACHE_DIR=${CCACHE_DIR:-$root/.cache/ccache}
  announce "$folder" "$target"
  idle='^ninja: (no work to do|Entering directory)|^\[[0-9]+/[0-9]+\] (Re-checking globbed|Checking the commit)'
  if [[ -t 2 ]]; then
    ninja -C "$folder" -j "$(build_jobs)" "$target" >&2
  else
    ninja -C "$folder" -j "$(build_jobs)" "$target" 2>&1 | { grep --line-buffered -vE "$idle" || true; } >&2
  fi
  publish "$preset"
}

# Leaves the binary at build/lengthwise. The slow or special builds do not replace one that is there.
publish() {
  [[ -x build/$1/lengthwise ]] || return 0
  if [[ $1 == dev || ! -e build/lengthwise ]]; then
    [[ $(readlink build/lengthwise 2>/dev/null) == "$1/lengthwise" ]] || ln -sfn "$1/lengthwise" build/lengthwise
  fi
}

# --- commands ---------------------------------------------------------------------------------------

build_program() {
  need_build_packages
  need_torch
  build dev lengthwise
}

command_default() {
  build_program
  exec build/lengthwise run configs/quickstart.yaml
}

command_setup() {
  need_build_packages
  need_torch again
}

command_build() {
  local preset=dev
  while (($#)); do
    case $1 in
      --preset=*) preset=${1#*=} ;;
      --preset)
        preset=${2:-}
        shift
        ;;
      *) die "build: unknown argument '$1'; allowed is --preset NAME" ;;
    esac
    shift || true
  done
  case $preset in
    dev | asan) need_build_packages && need_torch ;;
    system-torch) need_build_packages libtorch-dev ;;
    *) die "build: unknown preset '$preset'; allowed are dev, asan, system-torch" ;;
  esac
  build "$preset" lengthwise
  say "built build/$preset/lengthwise; build/lengthwise is $(readlink build/lengthwise)"
}

# run_tests PRESET ARGS…: builds everything with the preset, then runs ctest, whose summary comes last.
run_tests() {
  local preset=$1
  shift
  build "$preset" all
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$(nproc)" "$@" </dev/null
}

command_test() {
  if [[ ${1:-} == --system-torch ]]; then
    need_build_packages "${test_packages[@]}" libtorch-dev
    run_tests system-torch "${@:2}"
  else
    need_build_packages "${test_packages[@]}"
    need_torch
    run_tests dev "$@"
  fi
}

command_sanitize() {
  need_build_packages "${test_packages[@]}"
  need_torch
  # LibTorch is not instrumented and keeps its registries until the process ends: no leak check.
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 run_tests asan "$@"
}

command_parity() {
  need_build_packages "${test_packages[@]}"
  need_torch
  # shellcheck source=cmake/parity.sh
  source cmake/parity.sh
  parity
}

command_run() {
  build_program
  cd "$caller_dir"  # paths in ARGS are the caller's
  exec "$root/build/lengthwise" "$@"
}

# Models and texts that are not part of the repository. pip comes from .venv, whether torch is in it or not.
command_get() {
  local python=python3
  if (($#)); then
    need_packages python3 python3-venv || exit 1
    make_venv || die "get: could not create .venv (see .cache/venv.log)"
    python=.venv/bin/python
  fi
  "$python" -B cmake/get.py "$@"
}

command_lint() {
  need_build_packages
  # shellcheck source=cmake/lint.sh
  source cmake/lint.sh
  lint "$@"
}

mkdir -p .cache
case ${1:-} in
  "") command_default ;;
  help | -h | --help) help ;;
  bench) command_run "$@" ;;
  setup | build | test | run | lint | sanitize | parity | get) "command_$1" "${@:2}" ;;
  *)
    say "unknown command '$1'; allowed are setup, build, test, run, bench, lint, sanitize, parity, get, help"
    exit 2
    ;;
esac
