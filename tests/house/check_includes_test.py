import pathlib
import tempfile
import unittest

import check_includes

TREE = ["base/error.h", "base/files.h", "base/text.h", "soak/window.h", "probes/counters.h",
        "demand/report.h", "exporters/json.h", "loads/run.h", "commands/load.h",
        "tests/soak/sample.h"]


class CheckIncludes(unittest.TestCase):
    def complaints(self, file, include):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in TREE:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
            (root / file).write_text(f"// a comment\n#include {include}\n")
            return list(check_includes.complaints(root))

    def test_what_is_allowed(self):
        for file, include in [
                ("main.cpp", '"commands/load.h"'),
                ("main.cpp", "<CLI/CLI.hpp>"),
                ("commands/run.cpp", '"soak/window.h"'),
                ("commands/run.cpp", "<CLI/CLI.hpp>"),
                ("exporters/json.cpp", '"demand/report.h"'),
                ("exporters/prometheus.cpp", "<prometheus/registry.h>"),
                ("exporters/pushgateway.cpp", "<curl/curl.h>"),
                ("demand/report.cpp", '"soak/window.h"'),
                ("demand/report.cpp", '"probes/counters.h"'),
                ("demand/report.cpp", '"base/text.h"'),
                ("demand/report.cpp", "<fmt/format.h>"),
                ("soak/split.cpp", '"soak/window.h"'),
                ("soak/topology.cpp", "<hwloc.h>"),
                ("probes/devices.cpp", "<netlink/netlink.h>"),
                ("base/files.cpp", "<sys/stat.h>"),
                ("tests/soak/window_test.cpp", '"tests/soak/sample.h"'),
                ("tests/soak/window_test.cpp", '"probes/counters.h"'),
        ]:
            with self.subTest(file=file, include=include):
                self.assertEqual(self.complaints(file, include), [])

    def test_what_is_not(self):
        for file, include, complaint in [
                ("base/files.cpp", '"soak/window.h"', "base may not see soak"),
                ("soak/split.cpp", '"probes/counters.h"', "soak may not see probes"),
                ("probes/counters.cpp", '"soak/window.h"', "probes may not see soak"),
                ("soak/split.cpp", '"demand/report.h"', "soak may not see demand"),
                ("demand/report.h", '"exporters/json.h"', "demand may not see exporters"),
                ("loads/run.cpp", '"exporters/json.h"', "loads may not see exporters"),
                ("loads/run.cpp", '"commands/load.h"', "loads may not see commands"),
                ("commands/run.cpp", '"tests/soak/sample.h"', "is outside of the layers"),
                ("soak/split.cpp", "<hwloc.h>", "hwloc belongs in soak/topology.cpp"),
                ("soak/split.cpp", "<hwloc/linux.h>", "hwloc belongs in soak/topology.cpp"),
                ("loads/run.cpp", "<CLI/CLI.hpp>", "CLI/ belongs in commands/, main.cpp"),
                ("probes/probes.cpp", "<netlink/route/link.h>",
                 "netlink/ belongs in probes/devices.cpp"),
                ("commands/agent.cpp", "<prometheus/registry.h>",
                 "prometheus/ belongs in exporters/"),
                ("exporters/csv.cpp", "<curl/curl.h>",
                 "curl/ belongs in exporters/pushgateway.cpp, agent/peer.cpp"),
                ("soak/split.cpp", "<bpf/libbpf.h>", "bpf/ belongs in probes/"),
                ("demand/report.cpp", "<fstream>", "demand does no I/O"),
                ("demand/report.cpp", "<iostream>", "demand does no I/O"),
                ("demand/report.cpp", "<fcntl.h>", "demand does no I/O"),
                ("demand/report.cpp", "<unistd.h>", "demand does no I/O"),
                ("demand/report.cpp", "<sys/stat.h>", "demand does no I/O"),
                ("demand/report.cpp", '"base/files.h"', "demand does no I/O"),
                ("soak/split.cpp", '"../soak/window.h"', "is not written from the root"),
                ("soak/split.cpp", '"soak/../probes/counters.h"', "is not written from the root"),
                ("tests/soak/window_test.cpp", '"../../soak/window.h"',
                 "is not written from the root"),
                ("tests/soak/window_test.cpp", '"sample.h"', "is not written from the root"),
        ]:
            with self.subTest(file=file, include=include):
                wanted = f"{file}:2: {include.strip('<>').strip(chr(34))}: {complaint}"
                self.assertIn(wanted, self.complaints(file, include))


if __name__ == "__main__":
    unittest.main()
