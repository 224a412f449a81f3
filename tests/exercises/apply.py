#!/usr/bin/env python3
"""Takes the code of the exercises out of CONTRIBUTING.md.

usage: apply.py SOURCE OUT

A comment before a code block says where the block goes:

  <!-- file: PATH -->                a new file
  <!-- line: PATH after TEXT -->     into an existing file, below the one line that contains TEXT
  <!-- line: PATH before TEXT -->    the same, above that line

Writes the new and the changed files below OUT, and prints their paths, one a line. Files that are already as they should
be are left alone, so that a build does not see them as new.
"""

import pathlib
import re
import sys

BLOCK = re.compile(r"^<!-- (file|line): (\S+)(?: (after|before) (.+?))? -->\n```\w*\n(.*?)^```$", re.M | re.S)


class Misplaced(Exception):
    """A block that cannot go where its comment says."""


def blocks(page):
    """(kind, path, side, anchor, code) in the order of the page."""
    return BLOCK.findall(page)


def insert(text, path, side, anchor, code):
    lines = text.splitlines(keepends=True)
    found = [i for i, line in enumerate(lines) if anchor in line]
    if len(found) != 1:
        raise Misplaced(f"{path}: found {len(found)} lines with '{anchor}'; allowed: one")
    at = found[0] + (side == "after")
    return "".join(lines[:at]) + code + "".join(lines[at:])


def apply(page, source):
    """Path -> text of every file that the exercises add or change. @raises Misplaced."""
    changed = {}
    for kind, path, side, anchor, code in blocks(page):
        if kind == "file":
            if path in changed or (source / path).exists():
                raise Misplaced(f"{path}: is there already")
            changed[path] = code
            continue
        if path not in changed:
            if not (source / path).is_file():
                raise Misplaced(f"{path}: there is no such file")
            changed[path] = (source / path).read_text(encoding="utf-8")
        changed[path] = insert(changed[path], path, side, anchor, code)
    return changed


def main(source, out):
    source, out = pathlib.Path(source), pathlib.Path(out)
    try:
        changed = apply((source / "CONTRIBUTING.md").read_text(encoding="utf-8"), source)
    except Misplaced as error:
        print(f"CONTRIBUTING.md: {error}", file=sys.stderr)
        return 1
    for path in out.rglob("*"):
        if path.is_file() and str(path.relative_to(out)) not in changed:
            path.unlink()
    for path, text in changed.items():
        target = out / path
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    print("\n".join(sorted(changed)))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
