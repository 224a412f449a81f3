"""The code blocks of CONTRIBUTING.md fit the sources: every block has a place, and every exercise its files. The ctest
entry `exercises` compiles and runs them."""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ.get("LW_SOURCE_DIR") or pathlib.Path(__file__).parents[2])
sys.path.insert(0, str(ROOT / "tests/exercises"))
from apply import Misplaced, apply, blocks, insert  # noqa: E402


def refused(*arguments):
    try:
        insert(*arguments)
    except Misplaced:
        return True
    return False


def main():
    assert insert("a\nb\n", "p", "after", "a", "x\n") == "a\nx\nb\n"
    assert insert("a\nb\n", "p", "before", "b", "x\n") == "a\nx\nb\n"
    assert refused("a\na\n", "p", "after", "a", "x\n") and refused("a\n", "p", "after", "z", "x\n")

    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    faults = []
    try:
        changed = apply(page, ROOT)
        print("\n".join(sorted(changed)))
    except Misplaced as error:
        faults.append(str(error))
    comments = len(re.findall(r"^<!-- (?:file|line): ", page, flags=re.M))
    if comments != len(blocks(page)):
        faults.append(f"found {comments} comments that name a place, and {len(blocks(page))} blocks below one")
    for title, text in zip(*[iter(re.split(r"^## (Add an? .+)$", page, flags=re.M)[1:])] * 2):
        kinds = {kind for kind, *_ in blocks(text.split("\n## ")[0])}
        if title != "Add a test" and kinds != {"file", "line"}:
            faults.append(f"'{title}' has no new file, or no line of a registry")
    print("\n".join(faults + [f"{len(blocks(page))} blocks, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
