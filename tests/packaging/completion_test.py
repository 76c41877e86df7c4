"""completion_test.py PROGRAM: what bash completes, of the real program."""

import pathlib
import subprocess
import sys
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "completion.bash"
PROGRAM = sys.argv.pop(1)
ASK = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_cyclesoak "$1"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def complete(*words):
    done = subprocess.run(["bash", "-c", ASK, "bash", SCRIPT, PROGRAM, *words], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return set(done.stdout.split())


class Completion(unittest.TestCase):
    def test_commands(self):
        self.assertEqual(complete("ver"), {"verify"})
        self.assertLessEqual({"run", "watch", "agent", "load"}, complete(""))
        self.assertEqual(complete("load", "u"), {"udp"})

    def test_options(self):
        self.assertEqual(complete("run", "--base"), {"--baseline"})
        self.assertLessEqual({"--duty", "--listen", "--config", "-h"}, complete("agent", "-"))
        self.assertEqual(complete("load", "udp", "--ra"), {"--rate"})
        self.assertEqual(complete("run", "--quiet", "--rep"), {"--repeat"})

    def test_choices(self):
        self.assertEqual(complete("run", "--format", ""), {"table", "json", "csv"})
        self.assertEqual(complete("agent", "--yield", "a"), {"auto", "autogroup"})
        self.assertEqual(complete("run", "--working-set", ""), {"none", "l1", "l2", "l3"})

    def test_a_benchmark_is_a_command_with_its_own_arguments(self):
        self.assertIn("bash", complete("run", "--", "bas"))
        self.assertEqual(complete("run", "--", "bash", "--"), set())

    def test_a_file_is_left_to_bash(self):
        self.assertEqual(complete("run", "--output", ""), set())


if __name__ == "__main__":
    unittest.main()
