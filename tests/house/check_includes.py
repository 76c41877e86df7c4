"""check_includes.py ROOT: do the includes below ROOT keep to the layers of the house?

Prints every include that does not, and then exits with 1.
"""

import pathlib
import re
import sys

# A folder may include itself and what stands in a line above its own.
LAYERS = [
    ["base"],
    ["soak", "probes"],
    ["demand"],
    ["agent", "exporters", "loads", "page"],
    ["commands"],
    ["main.cpp"],
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}

# A library is seen from one place only. What starts so -> files that start so.
PLACES = {
    "hwloc": ["soak/topology.cpp"],
    "CLI/": ["commands/", "main.cpp"],
    "netlink/": ["probes/devices.cpp"],
    "systemd/sd-bus": ["soak/systemd_slice.cpp"],
    "systemd/sd-daemon": ["agent/service.cpp"],
    "prometheus/": ["exporters/"],
    "microhttpd": ["agent/http"],
    "gnutls/": ["agent/certificate.cpp", "agent/passwords.cpp", "agent/verifier.cpp"],
    "crypt.h": ["agent/passwords.cpp"],
    "bpf/": ["probes/"],
    "curl/": ["exporters/pushgateway.cpp", "agent/peer.cpp"],
}

# demand is arithmetic: nothing with which one could read or write a file.
NO_IO = re.compile(
    r"fstream|iostream|fcntl\.h|unistd\.h|sys/.*|base/(files|descriptor|loop)\.h")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def complaints_about(root, file, quote, target):
    """What is wrong with one include; `file` is relative to `root`."""
    folder, target_folder = file.parts[0], target.split("/")[0]
    if quote == '"' and (".." in target.split("/") or not (root / target).is_file()):
        yield "is not written from the root"
    if folder not in RANK:
        return  # tests and bench may look at everything
    if target_folder in RANK and target_folder != folder and RANK[target_folder] >= RANK[folder]:
        yield f"{folder} may not see {target_folder}"
    if quote == '"' and target_folder not in RANK:
        yield "is outside of the layers"
    for library, places in PLACES.items():
        if target.startswith(library) and not file.as_posix().startswith(tuple(places)):
            yield f"{library} belongs in {', '.join(places)}"
    if folder == "demand" and NO_IO.fullmatch(target):
        yield "demand does no I/O"


def sources(root):
    folders = [*RANK, "tests", "bench"]
    for path in sorted(path for name in folders for path in [root / name, *(root / name).rglob("*")]):
        if path.suffix in (".h", ".cpp") and path.is_file():
            yield path.relative_to(root)


def complaints(root):
    for file in sources(root):
        for number, line in enumerate((root / file).read_text().splitlines(), 1):
            if match := INCLUDE.match(line):
                for complaint in complaints_about(root, file, *match.groups()):
                    yield f"{file}:{number}: {match[2]}: {complaint}"


if __name__ == "__main__":
    found = list(complaints(pathlib.Path(sys.argv[1])))
    for complaint in found:
        print(complaint)
    sys.exit(bool(found))
