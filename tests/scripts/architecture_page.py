"""Holds docs/architecture.md to the sources: its table of edges is that of include_edges.py, every folder with sources
has a place in it, and every file that it names exists."""

import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from include_edges import ALLOWED, WITHOUT_LIBTORCH  # noqa: E402


def quoted(text):
    return re.findall(r"`([^`]+)`", text)


def edges_of(page):
    """Layer -> what its row of the last table allows."""
    rows = page.split("## Which layer may include which")[1].splitlines()
    found = {}
    for row in (row for row in rows if row.startswith("| `")):
        layer, allowed = row.split("|")[1:3]
        found[quoted(layer)[0]] = set(ALLOWED) - {"harness/app"} if "every layer" in allowed else set(quoted(allowed))
    return found


def check_edges(page):
    found, wanted = edges_of(page), {layer: set(allowed) for layer, allowed in ALLOWED.items()}
    wanted["harness/app"] -= {"harness/app"}
    for layer in sorted(found.keys() | wanted.keys()):
        if found.get(layer) != wanted.get(layer):
            yield f"{layer}: the page says {sorted(found.get(layer, []))}, include_edges.py {sorted(wanted.get(layer, []))}"
    sentence = re.search(r"^(`.*?) do not use LibTorch", page, flags=re.M | re.S)
    if sentence is None or set(quoted(sentence[1])) != WITHOUT_LIBTORCH:
        yield f"free of LibTorch are: {', '.join(sorted(WITHOUT_LIBTORCH))}"


def folders_of(heading):
    return [folder.strip() for folder in heading.split(",")]


def check_files(root, page):
    """The sections `### FOLDER, FOLDER` and the first column of their tables."""
    parts = re.split(r"^### (.+)$", page.split("## The folders")[1].split("\n## ")[0], flags=re.M)
    named = set()
    for heading, text in zip(parts[1::2], parts[2::2]):
        folders = folders_of(heading)
        named.update(folders)
        for row in (row for row in text.splitlines() if row.startswith("| `")):
            for name in quoted(row.split("|")[1]):
                pattern = name.replace("NAME", "*").rstrip("/")
                found = [path for folder in folders for path in (root / folder).glob(pattern)]
                found += [path for folder in folders for path in (root / folder).glob(pattern + ".[ch]*")]
                if not found:
                    yield f"{heading}: there is no {name}"
                named.update(f"{folder}/{name.split('/')[0]}" for folder in folders if "/" in name)
    for top in ("harness", "encodings", "suites", "reports"):
        for folder in sorted({path.parent.relative_to(root) for path in (root / top).rglob("*.cpp")}):
            if str(folder) not in named:
                yield f"{folder} has no place in the page"
    for path in quoted("\n".join(line for line in page.splitlines() if re.match(r"\| .*\.h` \|$", line))):
        if path.endswith(".h") and not (root / path).is_file():
            yield f"there is no {path}"


def main():
    root = pathlib.Path(os.environ.get("LW_SOURCE_DIR") or pathlib.Path(__file__).parents[2])
    page = (root / "docs/architecture.md").read_text(encoding="utf-8")
    found = [*check_edges(page), *check_files(root, page)]
    assert list(check_edges(page.replace("| `harness/train` |", "| `harness/dream` |"))), "a layer that is not there"
    assert list(check_files(root, page.replace("| `trainer`", "| `dreamer`").replace("`trainer`", "`dreamer`")))
    print("\n".join(found + [f"{len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
