"""Holds docs/run-folder.md and its pages to the program: every file of a real run, every CSV column, every key of
summary.json, results.jsonl and provenance.json is explained there, and nothing is explained that no run can have."""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CONFIG = """
name: page
seeds: [0]
model: {layers: 1, heads: 2, width: 16}
train: {length: {min: 8, max: 24}, steps: 3, batch: 2, gate: {accuracy: 0, excess_nll: 100, probes: 4}}
eval: {lengths: [16, 48], probes: 4}
suites: {order_swap: {}, needle: {}, length: {lengths: [24, 48]}}
sweep:
  - {name: learned, position: {scheme: learned}}
  - {name: rope, position: {scheme: rope}}
  - {name: yarn, position: {scheme: rope, scaling: {rope_type: yarn, factor: 4}}}
  - {name: encoder, model: {kind: encoder}, position: {scheme: none}, eval: {suites: [order_swap]}}
"""

# Sparse keys that a run this small does not show.
UNSEEN = {"bound_low", "bound_high", "reason", "offset", "depth_width", "early", "verdict", "interval"}


def backticked(text):
    """Every word in backticks: `n`, `a.b` and the column lists of tables."""
    return set(re.findall(r"`([^`\n]+)`", text))


def keys_of(value, path=""):
    """(key, where) of every object inside a JSON value. The names of baselines, variants and lengths are data."""
    data = {"baselines", "attention_seconds", "attention_resident_bytes", "seconds"}
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, path
            if key not in data:
                yield from keys_of(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner, path + "[]")


def sections(text):
    """Heading -> the text below it."""
    parts = re.split(r"^#+ (.+)$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def first_cells(text):
    """The names in the first column of every table."""
    return {name for line in text.splitlines() if line.startswith("| `") for name in backticked(line.split("|")[1])}


def check_tables(run, page):
    explained = sections(page)
    for path in sorted((run / "tables").glob("*.csv")):
        if path.name.startswith("report-"):  # tables of the report, whose columns are lengths and the like
            continue
        if path.name not in explained:
            yield f"tables.md has no section for {path.name}"
            continue
        with path.open(encoding="utf-8", newline="") as file:
            columns = set(next(csv.reader(file)))
        named = first_cells(explained[path.name])
        yield from (f"tables.md: {path.name}: column {column} is not explained" for column in sorted(columns - named))
        yield from (f"tables.md: {path.name}: there is no column {column}" for column in sorted(named - columns))


def check_json(values, page, name):
    known = backticked(page)
    found = {}
    for value in values:
        for key, where in keys_of(value):
            found.setdefault(key, where)
    yield from (f"{name}: key {where}.{key} is not explained" for key, where in found.items() if key not in known)


def check_lists(summary, page):
    """Each top-level list of summary.json against the table of its section, in both directions."""
    explained = sections(page)
    for title in ("options", "suites", "effective_length", "comparisons", "curves", "pooled", "cells", "cost"):
        entries = summary[title] if isinstance(summary[title], list) else [summary[title]]
        keys = {key for entry in entries for key in entry}
        named = first_cells(explained[title])
        yield from (f"summary.md: {title}: {key} is not explained" for key in sorted(keys - named))
        yield from (f"summary.md: {title}: there is no {key}" for key in sorted(named - keys - UNSEEN))


def check_metrics(summary, page):
    named = first_cells(sections(page)["Metrics"])
    for metric in sorted({cell["metric"] for cell in summary["cells"]} - named):
        yield f"summary.md: metric {metric} is not explained"


def check_files(run, page):
    named = backticked(page)
    for path in sorted(p.relative_to(run) for p in run.rglob("*") if p.is_file()):
        covered = str(path) in named or (path.parent.name and f"{path.parent}/*{path.suffix}" in named)
        if not covered:
            yield f"run-folder.md does not name {path}"


def main():
    root = pathlib.Path(os.environ.get("LW_SOURCE_DIR") or pathlib.Path(__file__).parents[2])
    binary = os.environ.get("LW_BINARY") or str(root / "build/lengthwise")
    read = lambda name: (root / "docs" / name).read_text(encoding="utf-8")  # noqa: E731
    with tempfile.TemporaryDirectory() as folder:
        config, run = pathlib.Path(folder) / "page.yaml", pathlib.Path(folder) / "runs/page"
        config.write_text(CONFIG, encoding="utf-8")
        done = subprocess.run([binary, "run", str(config), "--out", str(run)], capture_output=True, text=True)
        if done.returncode != 0:
            print(done.stderr)
            return 1
        summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
        records = [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]
        provenance = json.loads((run / "provenance.json").read_text(encoding="utf-8"))
        summary_page, tables_page = read("run-folder/summary.md"), read("run-folder/tables.md")
        faults = [*check_files(run, read("run-folder.md")),
                  *check_tables(run, tables_page),
                  *check_json([summary], summary_page, "summary.md"),
                  *check_lists(summary, summary_page),
                  *check_metrics(summary, summary_page),
                  *check_json(records, read("run-folder/results.md"), "results.md"),
                  *check_json([provenance], read("run-folder.md"), "run-folder.md, provenance.json")]  # fmt: skip
        # The check must be able to fail.
        assert list(check_tables(run, tables_page.replace("`effective_n`", ""))), "a column without its line"
        assert list(check_json([{"cells": [{"unheard_of": 1}]}], summary_page, "")), "a key without its line"
    print("\n".join(faults + [f"{len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
