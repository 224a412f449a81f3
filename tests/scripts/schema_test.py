"""Holds `lengthwise schema` to what it is for: an editor must accept every config that the program accepts,
and mark what the program would refuse.
"""

import copy
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml

GOOD = """
name: good
seeds: [0, 1]
model: {kind: decoder, layers: 2, heads: 4, width: 64, tied_embeddings: true}
train: {steps: 10, lr: 1e-3, length: {min: 8, max: 32}, gate: {accuracy: 0.9}}
position: {scheme: rope, rope_theta: 10000, scaling: {rope_type: yarn, factor: 8, truncate: false}}
eval: {lengths: [16, 32], probes: 8, dtype: float64, suites: [mine]}
suites: {mine: {kind: needle, keys: 4, needles: 2, depths: [0, 0.5, 1]}, order_swap: {}}
sweep:
  - {name: one, train: {batch: 4}}
  - {name: two, position: {scheme: rope, rope_theta: 500000}}
  - {axis: train.steps, values: [10, 20]}
protocol: {bar: 0.9}
report: {formats: [md, json]}
"""

# What is changed in GOOD, as (path, value); each must be refused.
BAD = [
    ("nmae", "x"),
    ("model.layrs", 2),
    ("model.layers", "two"),
    ("model.layers", 2.5),
    ("model.layers", 0),
    ("model.layers", 513),
    ("model.layers", [2]),
    ("model", 3),
    ("model.kind", "encoders"),
    ("model.tied_embeddings", "true"),
    ("train.lr", 0),
    ("train.lr", 11),
    ("train.length", 32),
    ("train.length.mid", 3),
    ("train.gate.accuracy", 1.5),
    ("seeds", 3),
    ("seeds", [1.5]),
    ("seeds", [-1]),
    ("position.scheme", "ropes"),
    ("position.num_buckets", 32),
    ("position.scaling.alpha", 2),
    ("position.scaling.factor", 0.5),
    ("position.scaling.rope_type", "yarnn"),
    ("position.rope_theta", 1),
    ("eval.lengths", 16),
    ("eval.lengths", [1]),
    ("eval.dtype", "float16"),
    ("suites", ["needle"]),
    ("suites.mine.gap", 3),
    ("suites.mine.keys", 0),
    ("suites.mine.depths", [2]),
    ("suites.mine.kind", "neddle"),
    ("sweep", {"name": "one"}),
    ("sweep", [{"position": {"scheme": "rope"}}]),
    ("sweep", [{"name": "a", "modle": {}}]),
    ("sweep", [{"name": "a", "position": {"scheme": "alibi", "rope_theta": 5}}]),
    ("sweep", [{"axis": "train.steps"}]),
    ("sweep", [{"axis": "train.steps", "values": [1], "name": "x"}]),
    ("protocol.bar", 2),
    ("report.format", ["md"]),
]


class Loader(yaml.SafeLoader):
    """PyYAML reads YAML 1.1, where 2e-3 is a text; in YAML 1.2, which editors read, it is a number."""


Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?(\.\d+|\d+(\.\d*)?)[eE][-+]?\d+$"), list("-+.0123456789"))


def changed(config, path, value):
    """A copy of `config` with `value` at a dotted path."""
    config = copy.deepcopy(config)
    at = config
    *sections, last = path.split(".")
    for section in sections:
        at = at[section]
    at[last] = value
    return config


def program_refuses(binary, config):
    """Whether the program says that the same config is wrong."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
        yaml.safe_dump(config, file)
        file.flush()
        return subprocess.run([binary, "validate", file.name], capture_output=True, check=False).returncode == 2


def main():
    root = pathlib.Path(os.environ.get("LW_SOURCE_DIR") or pathlib.Path(__file__).parents[2])
    binary = os.environ.get("LW_BINARY") or str(root / "build/lengthwise")
    printed = subprocess.run([binary, "schema"], capture_output=True, check=True, text=True).stdout
    schema = yaml.safe_load(printed)  # JSON is YAML
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = []

    good = yaml.load(GOOD, Loader)
    configs = {str(path.relative_to(root)): yaml.load(path.read_text(encoding="utf-8"), Loader)
               for path in sorted((root / "configs").rglob("*.yaml"))}  # fmt: skip
    for name, config in {"GOOD": good, **configs}.items():
        faults += [f"{name}: refused: {e.json_path}: {e.message}" for e in validator.iter_errors(config)]
    if program_refuses(binary, good):
        faults.append("GOOD: the program refuses it")
    for path, value in BAD:
        config = changed(good, path, value)
        if validator.is_valid(config):
            faults.append(f"{path}: {value}: accepted by the schema")
        if not program_refuses(binary, config):
            faults.append(f"{path}: {value}: accepted by the program")

    print("\n".join(faults + [f"{len(configs)} configs, {len(BAD)} bad ones, {len(faults)} faults"]))
    return 1 if faults or not configs else 0


if __name__ == "__main__":
    sys.exit(main())
