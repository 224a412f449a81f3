"""Loads the folders that the export test wrote with transformers and compares logits.

    python tests/parity/read_exports.py FOLDER
"""

import pathlib
import sys

# tokenizers.py beside this file is not the module that transformers imports.
sys.path[:] = [p for p in sys.path if pathlib.Path(p or ".").resolve() != pathlib.Path(__file__).resolve().parent]

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM
from transformers.utils import logging

TOLERANCE = 2e-5


def main():
    logging.disable_progress_bar()
    folders = sorted(path for path in pathlib.Path(sys.argv[1]).iterdir() if path.is_dir())
    worst = 0.0
    for folder in folders:
        expected = load_file(folder / "expected.safetensors")
        model, told = AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
        left = {key: value for key, value in told.items() if value}
        with torch.no_grad():
            logits = model.eval()(expected["tokens"], use_cache=False).logits
        difference = (logits - expected["logits"]).abs().max().item()
        worst = max(worst, difference)
        print(f"{folder.name} {model.config.model_type}: {difference:.2g} {left or ''}")
        if left or not difference <= TOLERANCE:
            return f"{folder}: transformers loads another model than was exported"
    print(f"{len(folders)} exports, largest difference {worst:.2g}")
    return None if folders else "no exports"


if __name__ == "__main__":
    sys.exit(main())
