# shellcheck shell=bash
# What run.sh needs before it can build: packages, a LibTorch. Sourced by run.sh, in the repository's root.
# shellcheck disable=SC2034  # the lists are used by run.sh and lint.sh

readonly torch_release=2.13.0
readonly torch_cpu_index=https://download.pytorch.org/whl/cpu
readonly build_packages=(g++ cmake ninja-build git ca-certificates python3 python3-venv libyaml-cpp-dev libspdlog-dev
  nlohmann-json3-dev libcli11-dev libssl-dev libicu-dev libpcre2-dev catch2 ccache mold)
readonly test_packages=(python3-yaml python3-jsonschema)
readonly optional_packages=(librsvg2-bin)  # rsvg-convert, for figures as PNG

say() { printf 'run.sh: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# quietly LOG COMMAND…: runs it with its output in .cache/LOG; shows the end of it if it fails.
quietly() {
  local log=.cache/$1
  shift
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 25 "$log" >&2
    return 1
  fi
}

# --- packages ---------------------------------------------------------------------------------------

apt_options=()
apt_get() {
  local as_root=()
  [[ $EUID == 0 ]] || as_root=(sudo)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300 "${apt_options[@]}" "$@"
}

apt_install() { apt_get install --no-install-recommends "$@"; }

# need_packages NAME…: installs those that are missing. Without the right to, fails and prints the command.
need_packages() {
  [[ -z ${LW_NO_APT:-} ]] || return 0
  if ! command -v dpkg-query >/dev/null; then
    say "found no dpkg, so packages are not checked; this build needs the equivalents of: $*"
    return 0
  fi
  local installed missing=() name
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for name in "$@"; do
    [[ $'\n'$installed$'\n' == *$'\ninstalled '"$name"$'\n'* ]] || missing+=("$name")
  done
  ((${#missing[@]})) || return 0
  if [[ $EUID != 0 ]] && ! { command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; }; then
    say "these packages are missing: ${missing[*]}"
    say "this needs root, and sudo is not available. Run this as root, then start again:"
    say "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    return 1
  fi
  say "installing ${missing[*]}"
  # The package lists may be absent or old: only then are they fetched.
  quietly apt.log apt_install "${missing[@]}" 2>/dev/null && return 0
  quietly apt-update.log apt_get update || say "apt-get update failed; trying the package lists that are there"
  quietly apt.log apt_install "${missing[@]}" || {
    say "apt-get could not install them (see .cache/apt.log)"
    return 1
  }
}

# Installs what the program can use but does without. Tried once and not for long: a machine without network would wait
# at every build.
want_packages() {
  local stamp=.cache/optional-packages apt_options=(-o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10
    -o Acquire::Retries=0)
  [[ -z ${LW_NO_APT:-} && $(cat "$stamp" 2>/dev/null) != "$*" ]] || return 0
  need_packages "$@" || say "going on without $*"
  echo "$*" >"$stamp"
}

# need_build_packages NAME…: the packages that a build needs, and those named.
need_build_packages() {
  need_packages "${build_packages[@]}" "$@" || exit 1
  want_packages "${optional_packages[@]}"
  local tool
  for tool in c++ cmake ninja python3; do
    command -v "$tool" >/dev/null || die "found no $tool; this build needs, by their Debian names: ${build_packages[*]}"
  done
}

# --- LibTorch ---------------------------------------------------------------------------------------

# probe_torch SOURCE: sets torch_found to "folder|version|origin", or to nothing, and torch_refused.
probe_torch() {
  local answer
  answer=$(cmake -DLW_TORCH_SOURCE="$1" -P cmake/probe_torch.cmake)
  torch_found=${answer%%$'\n'*}
  torch_refused=${answer#"$torch_found"}
  [[ $torch_found != none ]] || torch_found=
}

# True if PyTorch's index answers within seconds; pip itself would keep trying for minutes.
torch_index_answers() {
  timeout 10 .venv/bin/python -c "
import sys
from pip._vendor import requests
sys.exit(requests.head(sys.argv[1] + '/torch/', timeout=4, allow_redirects=True).status_code != 200)" \
    "$torch_cpu_index" >/dev/null 2>&1
}

pip_install() {
  .venv/bin/python -m pip install --no-input --no-cache-dir --disable-pip-version-check "$@"
}

make_venv() {
  local python=/usr/bin/python3
  [[ -x $python ]] || python=python3
  [[ -x .venv/bin/python ]] || quietly venv.log "$python" -m venv .venv
}

# Installs a CPU build of torch into .venv, from PyTorch's own index or else from pip's default one.
install_torch() {
  make_venv || return 1
  if torch_index_answers; then
    say "installing torch $torch_release (CPU) into .venv from PyTorch's index"
    quietly pip.log pip_install --retries 0 --timeout 20 --index-url "$torch_cpu_index" "torch==$torch_release" &&
      return 0
    say "that failed (see .cache/pip.log); trying pip's default index"
  else
    say "PyTorch's index does not answer; installing torch $torch_release into .venv from pip's default index"
  fi
  quietly pip.log pip_install "torch==$torch_release"
}

# need_torch [again]: sets torch_root. Keeps its choice until the user points at something else.
need_torch() {
  local stamp=.cache/libtorch key
  key="${LIBTORCH:-}|${Torch_DIR:-}|${CMAKE_PREFIX_PATH:-}|$(command -v python3 || true)|${VIRTUAL_ENV:-}"
  if [[ ${1:-} != again && -f $stamp ]]; then
    local known
    mapfile -t known <"$stamp"
    torch_root=${known[1]%%|*}
    [[ ${known[0]} != "$key" || ! -d $torch_root ]] || return 0
  fi
  probe_torch auto
  if [[ -z $torch_found || $torch_found == *"|system" ]]; then
    # The system's package comes last: a newer LibTorch in .venv is better.
    if install_torch; then
      probe_torch auto
    else
      say "torch could not be installed into .venv; using the system's libtorch-dev"
      need_packages libtorch-dev || true
      probe_torch auto
    fi
  fi
  local line
  while IFS= read -r line; do
    [[ -z $line ]] || say "LibTorch: skipped $line"
  done <<<"$torch_refused"
  [[ -n $torch_found ]] ||
    die "found no LibTorch that fits. Set LIBTORCH=FOLDER, a folder with include/ and lib/libtorch_cpu.so, and start again."
  torch_root=${torch_found%%|*}
  printf '%s\n%s\n' "$key" "$torch_found" >"$stamp"
  local rest=${torch_found#*|}
  say "LibTorch ${rest%%|*} from ${rest#*|}: $torch_root"
}
