"""check_sources.py ROOT BUILD: does the build in BUILD compile every source below ROOT?

Prints every *.cpp that no target compiles, and then exits with 1. bench/ is a build of its own.
"""

import json
import pathlib
import sys

ELSEWHERE = {"bench", "build"}


def forgotten(root, build):
    """Sources that no target compiles, relative to `root`."""
    commands = json.loads((build / "compile_commands.json").read_text())
    compiled = {pathlib.Path(command["file"]).resolve() for command in commands}
    for path in sorted(root.rglob("*.cpp")):
        file = path.relative_to(root)
        if file.parts[0] not in ELSEWHERE and path.resolve() not in compiled:
            yield file


if __name__ == "__main__":
    found = list(forgotten(*map(pathlib.Path, sys.argv[1:3])))
    for file in found:
        print(f"{file}: no target compiles it")
    sys.exit(bool(found))
