"""Runs one script test; a Python module that it needs and that is not installed makes it skip, not fail.

ctest takes exit code 77 for skipped. `./run.sh test` installs the modules, so nothing is skipped there.
"""

import runpy
import sys

OPTIONAL_MODULES = {"yaml": "python3-yaml", "jsonschema": "python3-jsonschema"}

try:
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
except ModuleNotFoundError as error:
    if error.name not in OPTIONAL_MODULES:
        raise
    print(f"skipped: needs the package {OPTIONAL_MODULES[error.name]}")
    sys.exit(77)
