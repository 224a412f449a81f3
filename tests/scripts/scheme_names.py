"""Fails where the program knows a position scheme or a RoPE scaling by name.

A scheme is its own file and one line of a registry; everything else asks the registry or the position setting. The one
exception are checkpoints, whose families name the scheme that they were trained with.
"""

import os
import pathlib
import re
import sys

REGISTRIES = ("encodings/registry.cpp", "encodings/rope_scaling/registry.cpp")

# Families say which scheme their models have, and turn settings of Hugging Face and GGUF into ours.
CHECKPOINTS = "harness/checkpoint/"
# Folders that know nothing of positions, in which "t5" and "llama3" are kinds of vocabulary.
ELSEWHERE = ("harness/formats/", "harness/tokenizer/")

# Ordinary words: names of schemes only beside one of these.
ORDINARY = {"none", "default", "learned"}
ABOUT_SCHEMES = re.compile(r"scheme|rope_type|encoding")

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
INSIDE = re.compile(r"\b(?:scheme|rope_type)[:=] *(\w+)")


def names_of(text):
    """What the X-macro of a registry lists."""
    return set(re.findall(r"^ *X\((\w+)\)", text, re.M))


def faults(names, path, text):
    """Lines of one file that name a scheme, as lines to print."""
    # Comments are blanked and not removed, so that lines keep their numbers. Strings are kept, "//" in them too.
    keep = re.compile(LITERAL.pattern + "|" + COMMENT.pattern, re.S)
    text = keep.sub(lambda m: m[0] if m[0].startswith('"') else re.sub(r"[^\n]", " ", m[0]), text)
    for number, line in enumerate(text.splitlines(), 1):
        for literal in LITERAL.findall(line):
            found = literal if literal in names else next(
                (name for name in INSIDE.findall(literal) if name in names), None)  # fmt: skip
            if found is None or (found == literal and found in ORDINARY and not ABOUT_SCHEMES.search(line)):
                continue
            if "--set" in literal or literal.startswith(("  lengthwise", "      --set")):
                continue  # an example in the help of a command
            yield f"{path}:{number}: names the scheme or scaling '{found}'; ask the registry or the position setting"


def check_the_check(names):
    """The test must be able to fail: known bad lines are found, good ones are not."""
    assert {"rope", "layered", "none", "yarn", "proportional"} <= names
    for bad in ('if (type == "proportional") return;', 'parse("scheme: none");', 'text("scheme", "none");',
                'f("//", "yarn");', 'parse("{rope_type: linear}");'):  # fmt: skip
        assert list(faults(names, "x.cpp", bad)), bad
    for good in ('// the scheme "rope"', 'json["default"]', 'return "none";', 'f("rope_theta");', "/* \"yarn\" */"):
        assert not list(faults(names, "x.cpp", good)), good


def is_checked(path):
    return not path.startswith((CHECKPOINTS, *ELSEWHERE))


def main():
    root = pathlib.Path(os.environ.get("LW_SOURCE_DIR") or pathlib.Path(__file__).parents[2])
    names = set().union(*(names_of((root / path).read_text(encoding="utf-8")) for path in REGISTRIES))
    check_the_check(names)
    files = [path for path in sorted((root / "harness").rglob("*"))
             if path.suffix in (".h", ".cpp") and is_checked(str(path.relative_to(root)))]  # fmt: skip
    found = [fault for path in files
             for fault in faults(names, str(path.relative_to(root)), path.read_text(encoding="utf-8"))]  # fmt: skip
    print("\n".join(found + [f"{len(files)} files, {len(names)} names, {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
