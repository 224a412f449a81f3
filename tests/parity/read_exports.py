"""Loads the folders that the export test wrote with transformers and compares what both compute.

    python tests/parity/read_exports.py FOLDER
"""

import pathlib
import sys

# tokenizers.py beside this file is not the module that transformers imports.
sys.path[:] = [p for p in sys.path if pathlib.Path(p or ".").resolve() != pathlib.Path(__file__).resolve().parent]

import torch
import transformers
from safetensors.torch import load_file
from transformers.utils import logging

TOLERANCE = 2e-5  # float32 on both sides, and values of order 1; larger ones are rounded in proportion


def load(folder):
    """The model that config.json names, and what of the file or of the model was left over."""
    config = transformers.AutoConfig.from_pretrained(folder)
    kind = getattr(transformers, config.architectures[0])
    more = {"add_pooling_layer": False} if config.architectures[0] == "BertModel" else {}
    model, report = kind.from_pretrained(folder, output_loading_info=True, attn_implementation="eager", **more)
    return model.eval(), {key: value for key, value in report.items() if value}


def compute(model, tokens):
    """Logits, or hidden states of a model without a head."""
    with torch.no_grad():
        if model.config.is_encoder_decoder:
            return model(input_ids=tokens[:, :-5], decoder_input_ids=tokens, use_cache=False).logits
        out = model(tokens, **({} if model.config.model_type == "bert" else {"use_cache": False}))
        return out.logits if "logits" in out else out.last_hidden_state


def main():
    logging.disable_progress_bar()
    folders = sorted(path for path in pathlib.Path(sys.argv[1]).iterdir() if path.is_dir())
    worst = 0.0
    for folder in folders:
        expected = load_file(folder / "expected.safetensors")
        model, left = load(folder)
        difference = (compute(model, expected["tokens"]) - expected["output"]).abs().max().item()
        allowed = TOLERANCE * max(1.0, expected["output"].abs().max().item())
        worst = max(worst, difference / allowed)
        print(f"{folder.name} {model.config.model_type}: {difference:.2g} {left or ''}")
        if left or not difference <= allowed:
            return f"{folder}: transformers loads another model than was exported"
    print(f"{len(folders)} exports, largest difference {worst:.2g} of what is allowed")
    return None if folders else "no exports"


if __name__ == "__main__":
    sys.exit(main())
