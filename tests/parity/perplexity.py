"""Perplexity of a GGUF model on a text: ours against transformers, which loads the same file. Beyond 0.1 % it fails.

usage: perplexity.py BINARY MODEL.gguf TEXT [--windows CONTEXT:COUNT ...]

Both score the same ids in the same windows: transformers is given those of `lengthwise tokenize --ids`, and takes the
weights as its own reader dequantises them, in float32. Windows do not overlap; where the tokenizer puts BOS before a
text, BOS takes the place of each window's first token. Exits with 77 where a module is missing.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("TQDM_DISABLE", "1")  # transformers shows one even when told not to
try:
    import accelerate  # noqa: F401 (transformers reads GGUF files with these two)
    import gguf  # noqa: F401
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging
except ImportError as error:
    print(f"skipped: there is no module {error.name}")
    sys.exit(77)

ALLOWED = 1e-3  # of perplexities, relative


def ours(options, context, windows):
    """What `nll` says of the second half, and the mean loss at every position."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "positions.tsv"
        command = [options.binary, "nll", options.model, "--file", options.text, "--json", "--tsv", str(table)]
        command += ["--context", str(context), "--chunks", str(windows), "--reduction", "second_half"]
        said = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
    return said, torch.tensor([float(mean) for _, mean, _ in rows], dtype=torch.float64)


def token_ids(options):
    command = [options.binary, "tokenize", options.model, "--file", options.text, "--ids", "--special"]
    return [int(word) for word in subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.split()]


@torch.no_grad()
def losses(model, ids, context, windows, bos):
    """[windows, context - 1]: nats of token p + 1 after tokens 0 .. p."""
    rows = []
    for begin in range(0, windows * context, context):
        window = torch.tensor([ids[begin : begin + context]])
        if bos is not None:
            window[0, 0] = bos
        logits = model(window, use_cache=False).logits[0, :-1].double()  # float32 sums over the words are 1e-5 off
        rows.append(torch.nn.functional.cross_entropy(logits, window[0, 1:], reduction="none"))
    return torch.stack(rows)


def compare(options, model, ids, bos, context, windows):
    """The largest relative difference of perplexities."""
    said, mine = ours(options, context, windows)
    theirs = losses(model, ids, context, windows, bos)
    half = theirs[:, context // 2 :]
    if (said["windows"], said["n"], said["tokens"]) != (windows, half.numel(), len(ids)):
        raise SystemExit(f"other windows: {said}, not {windows} windows with {half.numel()} tokens in second halves")
    gap = (mine - theirs.mean(0)).abs().max().item()
    worst = 0.0
    for name, perplexity, scored in (("all", mine.mean().exp().item(), theirs), ("second half", said["perplexity"], half)):
        expected = scored.mean().exp().item()
        difference = perplexity / expected - 1
        worst = max(worst, abs(difference))
        cells = f"{context:>7}  {windows:>7}  {name:<11}  {scored.numel():>6}  {perplexity:>9.5f}  {expected:>12.5f}"
        print(f"{cells}  {difference:>+10.1e}  {gap:.1e} nats", flush=True)
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--windows", action="append", help="CONTEXT:COUNT; 512:8 and 2048:2 if there is none")
    options = parser.parse_args()
    ids = token_ids(options)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    path = pathlib.Path(options.model)
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval()
    # BOS that is spelt out in a text is text: as the first id it is what the tokenizer put there.
    bos = ids[0] if ids[0] == model.config.bos_token_id else None
    print("context  windows  scored       tokens       ours  transformers  difference  worst position")
    worst = 0.0
    for pair in options.windows or ["512:8", "2048:2"]:
        context, windows = (int(number) for number in pair.split(":"))
        worst = max(worst, compare(options, model, ids, bos, context, windows))
    print(f"{path.name}: largest relative difference {worst:.1e}; allowed {ALLOWED:g}")
    return 0 if worst <= ALLOWED and math.isfinite(worst) else 1


if __name__ == "__main__":
    sys.exit(main())
