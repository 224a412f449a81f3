"""Fails on an #include between folders that the architecture does not allow.

Each folder is a layer with the layers it may include directly; what those may include is allowed too.
CMakeLists.txt links the libraries along the same edges, but a header needs no link to be included.
"""

import os
import pathlib
import re
import sys

ALLOWED = {
    "harness/base": [],
    "harness/formats": ["harness/base"],
    "harness/tokenizer": ["harness/formats"],
    "encodings": ["harness/base"],
    "suites": ["harness/base"],
    "harness/results": ["harness/base"],
    "harness/model": ["encodings", "harness/base"],
    "reports": ["harness/results", "harness/base"],
    "harness/checkpoint": ["harness/model", "harness/formats", "harness/tokenizer"],
    "harness/train": ["harness/model", "suites"],
    "harness/eval": ["harness/model", "suites", "harness/results"],
    "harness/experiment": ["harness/checkpoint", "harness/train", "reports"],
    "harness/measure": ["harness/model", "reports"],
    "harness/run": ["harness/experiment", "harness/measure", "harness/eval"],
    "harness/inspect": ["harness/experiment", "harness/measure", "harness/eval"],
    "harness/selfcheck": ["harness/run", "harness/inspect"],
}
ALLOWED["harness/app"] = list(ALLOWED)

WITHOUT_LIBTORCH = {
    "harness/base", "harness/formats", "harness/tokenizer", "suites", "harness/results", "reports",
}  # fmt: skip

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LIBTORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")


def layer_of(path):
    """The layer that a path from the root belongs to, or None if it is in none."""
    return next((layer for layer in ALLOWED if path.startswith(layer + "/")), None)


def reachable(layer):
    """Every layer that a layer may include, itself among them."""
    found, waiting = set(), [layer]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += ALLOWED[current]
    return found


def faults(root, path, text):
    """What is wrong with the includes of one file, as lines to print."""
    layer = layer_of(path)
    if layer is None:
        yield f"{path}: this folder is in no layer; add it to the table in tests/scripts/include_edges.py"
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        place, target = f"{path}:{number}", match[2]
        if LIBTORCH.match(target) and layer in WITHOUT_LIBTORCH:
            yield f"{place}: {layer} is free of LibTorch, but includes {target}"
        if match[1] == "<" or target == "lw_version.h":  # the latter is written by the build
            continue
        if not (root / target).is_file():
            yield f"{place}: there is no {target}; includes in quotes name a file from the root"
        elif layer_of(target) not in reachable(layer):
            yield f"{place}: {layer} may not include {target}; allowed are {', '.join(sorted(reachable(layer)))}"


def check_the_check(root):
    """The test must be able to fail: known bad lines are found, good ones are not."""
    a_suite = next((str(p.relative_to(root)) for p in sorted(root.glob("suites/*.h"))), None)
    bad = ["#include <torch/types.h>", '#include "no/such.h"', '#include "tests/catch.h"']
    for line in bad + ([f'#include "{a_suite}"'] if a_suite else []):
        assert list(faults(root, "reports/x.cpp", line)), line
    assert list(faults(root, "harness/unheard_of/x.cpp", "")), "unknown folder"
    assert not list(faults(root, "harness/model/x.cpp", "#include <torch/types.h>\n#include <vector>"))
    assert "encodings" in reachable("harness/eval") and "harness/run" not in reachable("harness/inspect")


def main():
    root = pathlib.Path(os.environ.get("LW_SOURCE_DIR") or pathlib.Path(__file__).parents[2])
    check_the_check(root)
    files = [path for folder in ("harness", "encodings", "suites", "reports")
             for path in sorted((root / folder).rglob("*")) if path.suffix in (".h", ".cpp")]  # fmt: skip
    found = [fault for path in files
             for fault in faults(root, str(path.relative_to(root)), path.read_text(encoding="utf-8"))]  # fmt: skip
    print("\n".join(found + [f"{len(files)} files, {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
