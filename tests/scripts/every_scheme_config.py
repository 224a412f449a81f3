"""Holds two configs to the program: configs/position-schemes.yaml has every position scheme of the registry, and
configs/rope-scaling.yaml has every RoPE scaling. Both must also be valid. Each says so in its first lines."""

import json
import os
import pathlib
import subprocess
import sys

import yaml


def output(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, check=True, text=True).stdout


def position_sections(config):
    """The top-level section, the one of each variant, and the blocks of each kind of layer."""
    for holder in [config, *config.get("sweep", [])]:
        position = holder.get("position") or {}
        yield position
        yield from position.get("kinds", {}).values()


def missing(registry, found):
    return sorted({entry["name"] for entry in registry} - found)


def main():
    root = pathlib.Path(os.environ.get("LW_SOURCE_DIR") or pathlib.Path(__file__).parents[2])
    binary = os.environ.get("LW_BINARY") or root / "build/lengthwise"
    schemes_file, scalings_file = (root / "configs" / name for name in ("position-schemes.yaml", "rope-scaling.yaml"))
    output(binary, "validate", schemes_file, scalings_file)

    schemes = {p["scheme"] for p in position_sections(yaml.safe_load(schemes_file.read_text())) if "scheme" in p}
    scalings = {p["scaling"].get("rope_type") for p in position_sections(yaml.safe_load(scalings_file.read_text()))
                if isinstance(p.get("scaling"), dict)}  # fmt: skip
    faults = [f"{file.name}: no variant has {key}: {name}"
              for file, key, kind, found in ((schemes_file, "scheme", "encodings", schemes),
                                             (scalings_file, "rope_type", "scalings", scalings))
              for name in missing(json.loads(output(binary, "list", kind, "--json")), found)]  # fmt: skip
    assert missing([{"name": "unheard_of"}], schemes), "the check must be able to fail"
    print("\n".join(faults + [f"{len(schemes)} schemes, {len(scalings)} scalings, {len(faults)} missing"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
