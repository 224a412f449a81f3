# shellcheck shell=bash
# ./run.sh lint: clang-format over all our sources, clang-tidy over those of the program. Sourced by run.sh.
#
# clang-tidy reads LibTorch's headers as a compiler does. Measured with clang-tidy 14: it parses LibTorch 2.13
# in C++20 with libstdc++ 12 without errors, at 15-40 s a file (3-8 s for a file without LibTorch). So all
# folders are checked, files can be named to check only these, and CI runs the quick part: format, names, sizes.
#
# Releases of clang-format differ in the layout of some code, so everyone uses one release.
readonly clang_format_release=14.0.6

# find_clang_format: sets clang_format to release 14, the system's or one from pip.
find_clang_format() {
  local name
  for name in clang-format-14 clang-format .venv/bin/clang-format; do
    clang_format=$name
    [[ $("$name" --version 2>/dev/null) != *"version ${clang_format_release%%.*}."* ]] || return 0
  done
  make_venv && quietly pip-lint.log pip_install "clang-format==$clang_format_release" && return 0
  die "clang-format ${clang_format_release%%.*} is not installed, and pip could not install it (see .cache/pip-lint.log)"
}

# our_files PATTERN…: the files that git tracks or would track.
our_files() {
  local file
  git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while IFS= read -r file; do
    [[ ! -f $file ]] || printf '%s\n' "$file"
  done
}

# lint_format [-i]: lists the files with another layout; -i rewrites them.
lint_format() {
  find_clang_format
  local files bad
  mapfile -t files < <(our_files '*.cpp' '*.h')
  ((${#files[@]})) || return 0
  if [[ ${1:-} == -i ]]; then
    "$clang_format" -i "${files[@]}"
  elif ! bad=$("$clang_format" --dry-run -Werror "${files[@]}" 2>&1); then
    grep -E ' error: ' <<<"$bad" | cut -d: -f1 | sort | uniq -c >&2 || printf '%s\n' "$bad" >&2
    say "clang-format would change these files (number of places); ./run.sh lint --fix changes them"
    return 1
  fi
  say "clang-format: ${#files[@]} files"
}

# lint_tidy FILE…: all of the program's sources if no file is named.
lint_tidy() {
  need_packages clang-tidy || exit 1
  need_torch
  configure lint
  ninja -C build/lint lw_version >/dev/null || return 1
  local files=("$@")
  ((${#files[@]})) || mapfile -t files < <(our_files 'harness/*.cpp' 'encodings/*.cpp' 'suites/*.cpp' 'reports/*.cpp')
  ((${#files[@]})) || return 0
  say "clang-tidy: ${#files[@]} files; one with LibTorch takes about half a minute"
  # The compile commands are for g++, and clang does not know all of its warnings. clang-tidy also counts warnings in
  # headers of others, even without findings: those lines are left out.
  printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$(build_jobs)" clang-tidy --quiet -p build/lint --extra-arg=-Wno-unknown-warning-option \
      2> >(grep -vE '^[0-9]+ warnings? generated' >&2)
}

# lint_rules: the rules that need no analysis, names and sizes of functions, over all of the program. Files are read
# several at once, as the unity build has them, so that CI can afford it.
readonly quick_checks='-*,readability-identifier-naming,readability-function-size,readability-misleading-indentation'
lint_rules() {
  need_packages clang-tidy || exit 1
  need_torch
  configure lint-rules
  ninja -C build/lint-rules lw_version >/dev/null || return 1
  local files
  mapfile -t files < <(python3 -c "
import json
print(*sorted({e['file'] for e in json.load(open('build/lint-rules/compile_commands.json')) if '/tests/' not in e['file']}), sep='\\n')")
  say "clang-tidy, names and sizes: ${#files[@]} groups of files"
  printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$(build_jobs)" clang-tidy --quiet -p build/lint-rules --checks="$quick_checks" \
      --extra-arg=-w --header-filter="$root/(harness|encodings|suites|reports)/" \
      2> >(grep -vE '^[0-9]+ warnings? generated' >&2)
}

lint() {
  local failed=0
  case ${1:-} in
    --format) lint_format || failed=1 ;;
    --quick)
      lint_format || failed=1
      lint_rules || failed=1
      ;;
    --fix) lint_format -i ;;
    -*) die "lint: unknown argument '$1'; allowed are --format, --quick, --fix, or files for clang-tidy" ;;
    *)
      lint_format || failed=1
      lint_tidy "$@" || failed=1
      ;;
  esac
  return $failed
}
