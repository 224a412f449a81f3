"""Writes what transformers gives for each position of a text's windows: a golden table for tests/data.

usage: position_losses.py FOLDER IDS.json CONTEXT WINDOWS > TABLE.tsv

float32. Windows do not overlap; BOS takes the place of each window's first token. tests/data/stories260K-bf16.tsv was
made of stories260K's bfloat16 shards with transformers 5.24.0 and torch 2.13.0, 16 windows of 512.
"""

import json
import sys

import torch
from transformers import AutoModelForCausalLM


@torch.no_grad()
def main():
    folder, ids_file, context, windows = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    ids = json.load(open(ids_file))
    ids = ids if isinstance(ids, list) else next(iter(ids.values()))
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    total = torch.zeros(context - 1, dtype=torch.float64)
    for begin in range(0, windows * context, context):
        window = torch.tensor([ids[begin : begin + context]])
        window[0, 0] = model.config.bos_token_id
        logits = model(window, use_cache=False).logits[0, :-1].double()
        total += torch.nn.functional.cross_entropy(logits, window[0, 1:], reduction="none")
    print("position\tmean_nll\tn")
    for position, loss in enumerate((total / windows).tolist()):
        print(f"{position}\t{loss:.7f}\t{windows}")


if __name__ == "__main__":
    main()
