# shellcheck shell=bash
# `run.sh parity`: compares loaded and exported checkpoints with transformers, and tokens with the tokenizers library.
# Sourced by run.sh. A step whose model or data is missing is skipped, with a message.
# shellcheck disable=SC2154  # root is run.sh's

readonly parity_folder=.cache/parity

# Creates .cache/parity/venv with transformers; fails if it cannot.
parity_venv() {
  mkdir -p "$parity_folder"
  [[ -x $parity_folder/venv/bin/python ]] || python3 -m venv --system-site-packages "$parity_folder/venv" >&2 || return 1
  "$parity_folder/venv/bin/python" -c 'import torch, transformers, safetensors, gguf, accelerate' 2>/dev/null && return
  say "installing torch and transformers into $parity_folder/venv"
  "$parity_folder/venv/bin/python" -m pip install --no-input --disable-pip-version-check --quiet \
    torch 'transformers>=5' safetensors gguf accelerate >"$parity_folder/pip.log" 2>&1
}

# parity_step NAME COMMAND…: exit code 77 means that the command skipped its check.
parity_step() {
  local name=$1 code=0
  shift
  say "parity: $name"
  "$@" || code=$?
  case $code in
    0) ;;
    77) say "parity: $name: skipped" ;;
    *) die "parity: $name: differs (exit code $code)" ;;
  esac
}

parity_tests() { LW_TELL=1 build/dev/tests/tests_torch "$1" --warn NoAssertions; }

parity_families() {
  local python=$1
  rm -rf "$parity_folder/families" "$parity_folder/exports"
  mkdir -p "$parity_folder/exports"
  say "parity: creating checkpoints with transformers"
  "$python" tests/parity/make_fixtures.py "$parity_folder/families" --large >"$parity_folder/make.log" 2>&1 || {
    tail -n 20 "$parity_folder/make.log" >&2
    die "parity: transformers could not create the checkpoints (see $parity_folder/make.log)"
  }
  export LW_EXPORTS=$root/$parity_folder/exports
  LW_FAMILIES=$root/$parity_folder/families parity_step "families" parity_tests "[families][parity]"
  parity_step "exports" "$python" tests/parity/read_exports.py "$parity_folder/exports"
}

# The real models of `run.sh get`.
parity_models() {
  local python=$1 data=$2 text
  if [[ -f models/minilm/model.safetensors ]]; then
    export LW_ENCODER=$root/models/minilm LW_STATES=$root/$parity_folder/states
    parity_step "MiniLM" "$python" tests/parity/hidden_states.py "$LW_ENCODER" "$LW_STATES"
    parity_step "MiniLM" parity_tests "hidden states of a real encoder*"
  else
    say "parity: MiniLM: skipped: found no models/minilm; './run.sh get minilm' downloads it"
  fi
  for text in "$data/text/wiki.test.raw" models/texts/wiki.test.raw models/texts/world-english-bible.txt; do
    [[ ! -f $text ]] || break
  done
  local model=models/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
  if [[ -f $model && -f $text ]]; then
    parity_step "SmolLM2 on ${text##*/}" "$python" tests/parity/perplexity.py build/lengthwise "$model" "$text"
  else
    say "parity: SmolLM2: skipped: found no $model or no text; './run.sh get smollm2 text' downloads both"
  fi
}

parity_tokenizers() {
  local python=$1 data=$2 more=()
  if [[ ! -d $data/tokenizers ]]; then
    say "parity: tokenizers: skipped: found no vocabularies in $data; LW_DATA may name another folder"
    return
  fi
  [[ ! -d models/smollm2 ]] || more+=(--smollm2 models/smollm2/*.gguf)
  [[ ! -d models/minilm ]] || more+=(--bert models/minilm)
  build dev tokenizer_ids
  parity_step "tokenizers" "$python" tests/parity/tokenizer_ids.py build/dev/tests/tokenizer_ids "$data" "${more[@]}"
}

parity() {
  local python=$parity_folder/venv/bin/python data=${LW_DATA:-../shared/data}
  if [[ -n ${LW_PARITY_PYTHON:-} ]]; then
    python=$LW_PARITY_PYTHON  # an interpreter that already has both
  elif ! parity_venv; then
    say "parity: skipped: could not install torch and transformers (see $parity_folder/pip.log)"
    return 0
  fi
  build dev tests_torch
  build dev lengthwise
  parity_families "$python"
  parity_models "$python" "$data"
  parity_tokenizers "$python" "$data"
}
