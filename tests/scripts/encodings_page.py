"""Holds docs/encodings.md to the program: the page is what `lengthwise list encodings --markdown` prints."""

import difflib
import os
import pathlib
import subprocess
import sys


def main():
    root = pathlib.Path(os.environ.get("LW_SOURCE_DIR") or pathlib.Path(__file__).parents[2])
    binary = os.environ.get("LW_BINARY") or str(root / "build/lengthwise")
    command = [binary, "list", "encodings", "--markdown"]
    printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    page = (root / "docs/encodings.md").read_text(encoding="utf-8")
    if printed == page:
        print(f"{len(page.splitlines())} lines, none differs")
        return 0
    names = ("docs/encodings.md", "the program")
    print("\n".join(list(difflib.unified_diff(page.splitlines(), printed.splitlines(), *names, lineterm="", n=1))[:60]))
    print("docs/encodings.md is not what the program says; write it anew with\n"
          "  ./run.sh run list encodings --markdown > docs/encodings.md")
    return 1


if __name__ == "__main__":
    sys.exit(main())
