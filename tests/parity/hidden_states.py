"""Writes what transformers makes of texts with a BERT folder: ids and last hidden states.

usage: hidden_states.py MODEL_FOLDER OUT_FOLDER

OUT_FOLDER gets texts.json (each text with its ids) and expected.safetensors: "hidden.I" of text I, computed in one
batch, padded and masked, and cut back to the text's own length. Lengths run from 3 to 256 tokens. The test "hidden
states of a real encoder" reads both (LW_ENCODER is MODEL_FOLDER, LW_STATES is OUT_FOLDER).
"""

import json
import pathlib
import sys

import torch
from safetensors.torch import save_file
from transformers import AutoModel, AutoTokenizer

SENTENCES = [
    "yes",
    "The dog bit the man.",
    "The man bit the dog.",
    "Order of words is told apart by position alone; take it away, and both sentences are one.",
    "Caf\u00e9 na\u00efve, \u00c5ngstr\u00f6m: accents go where the tokenizer lowers its case.",
    "In 1969, 3.14159 was still \u03c0; \u4e2d\u6587 and \ud55c\uad6d\uc5b4 fall into pieces.",
    "unbelievablyantidisestablishmentarianistic words are cut",
]
STORY = (
    "A ship left the harbour before dawn, and nobody on the quay could say who had paid for her cargo. By noon the "
    "wind had turned, the captain had changed his mind twice, and the cook, who was the only one to have seen the "
    "papers, had locked himself in with the flour. "
)


@torch.no_grad()
def main():
    folder, out = sys.argv[1], pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model, told = AutoModel.from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
    left = {key: value for key, value in told.items() if value}
    if left:
        return f"transformers loads {folder} in part: {left}"
    words = (STORY * 8).split()
    texts = SENTENCES + [" ".join(words[:count]) for count in (20, 60, 120)]
    # As many words as make 256 tokens.
    whole = len(words)
    while len(tokenizer(" ".join(words[:whole]))["input_ids"]) > 256:
        whole -= 1
    texts.append(" ".join(words[:whole]))
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    hidden = model.eval()(**batch).last_hidden_state
    tensors, told = {}, []
    for i, length in enumerate(batch["attention_mask"].sum(1).tolist()):
        told.append({"text": texts[i], "ids": batch["input_ids"][i, :length].tolist()})
        tensors[f"hidden.{i}"] = hidden[i, :length].contiguous()
    (out / "texts.json").write_text(json.dumps(told))
    save_file(tensors, out / "expected.safetensors")
    lengths = sorted(len(one["ids"]) for one in told)
    print(f"{len(texts)} texts of {lengths} tokens, largest state {hidden.abs().max().item():.3g}")
    return None


if __name__ == "__main__":
    sys.exit(main())
