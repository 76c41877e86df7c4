import json
import pathlib
import tempfile
import unittest

import check_sources


class CheckSources(unittest.TestCase):
    def test_names_what_no_target_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder, "a tree")
            build = root / "build" / "release"
            for name in ["main.cpp", "soak/split.cpp", "tests/soak/split_test.cpp",
                         "bench/cost.cpp", "build/release/probe.cpp"]:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
            build.joinpath("compile_commands.json").write_text(json.dumps(
                [{"file": str(root / name)} for name in ["main.cpp", "soak/split.cpp"]]))
            self.assertEqual(list(check_sources.forgotten(root, build)),
                             [pathlib.Path("tests/soak/split_test.cpp")])


if __name__ == "__main__":
    unittest.main()
