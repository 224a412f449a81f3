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
x-shared: {anything: [1]}
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
    ("suites.order_swap.keys", 4),
    ("suites.order_swap.gap", 0),
    ("position.length_temperature", "none"),
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


# Where one key has another meaning in another variant: (choices on the way, key, keyword, what it must say).
POSITION = ["position"]
SCALING = [*POSITION, ("scheme", "rope"), "scaling"]
OWN = [
    ([*POSITION, ("scheme", "rope")], "layout", "default", "half"),
    ([*POSITION, ("scheme", "xpos")], "layout", "default", "interleaved"),
    ([*SCALING, ("rope_type", "linear")], "factor", "default", None),
    ([*SCALING, ("rope_type", "linear")], "factor", "description", "positions are divided by it (required)"),
    ([*SCALING, ("rope_type", "yarn")], "factor", "default", None),
    ([*SCALING, ("rope_type", "ntk")], "alpha", "minimum", 1),
    ([*SCALING, ("rope_type", "ntk")], "alpha", "description", "how much the slowest pair slows down (required)"),
    ([*SCALING, ("rope_type", "by_parts_turns")], "alpha", "minimum", 0),
    ([*SCALING, ("rope_type", "by_parts_turns")], "alpha", "default", 1),
    ([*POSITION, ("scheme", "rerope")], "window", "default", 16),
    ([*POSITION, ("scheme", "streaming")], "window", "default", 28),
    ([*POSITION, ("scheme", "t5")], "max_distance", "default", 128),
    ([*POSITION, ("scheme", "shaw")], "max_distance", "default", 16),
    (["suites", "*", ("kind", "needle")], "filler", "default", 8),
    (["suites", "*", ("kind", "order_swap")], "filler", "default", 16),
    (["suites", "*", ("kind", "needle")], "depths", "description",
     "where the asked needle stands: 0 start, 1 end of the haystack"),
    (["suites", "*", ("kind", "fact_recall")], "depths", "description",
     "where the asked fact stands if one is asked: 0 start, 1 end of the haystack"),
]  # fmt: skip


def followed(schema, node):
    """`node`, or what it refers to."""
    for option in node.get("anyOf", []):  # a mapping, or nothing
        if "$ref" in option or option.get("type") == "object":
            return followed(schema, option)
    while "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[1]
        node = schema["$defs"][name]
    return node


def own_value(schema, path, key, keyword):
    """What a keyword says of a key behind `path`, whose pairs choose a variant."""
    node = schema
    for step in path:
        if isinstance(step, tuple):
            chooser, choice = step
            chosen = [rule["then"] for rule in node["allOf"]
                      if any(c["properties"].get(chooser) == {"const": choice}
                             for c in rule["if"].get("anyOf", [rule["if"]]))]  # fmt: skip
            node = chosen[0]
        elif step == "*":
            node = followed(schema, node["additionalProperties"])
        else:
            node = followed(schema, node["properties"][step])
    return node["properties"][key].get(keyword)


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

    for path, key, keyword, expected in OWN:
        found = own_value(schema, path, key, keyword)
        if found != expected or isinstance(found, float) and found.is_integer():
            faults.append(f"{path} {key}: {keyword} is {found!r}, not {expected!r}")
    for number in re.findall(r'"(?:exclusive)?(?:minimum|maximum|default)[^:]*": (-?\d+\.0)\b', printed, re.IGNORECASE):
        faults.append(f"a whole number is printed as {number}")

    print("\n".join(faults + [f"{len(configs)} configs, {len(BAD)} bad ones, {len(faults)} faults"]))
    return 1 if faults or not configs else 0


if __name__ == "__main__":
    sys.exit(main())
