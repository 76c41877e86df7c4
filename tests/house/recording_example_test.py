import pathlib
import re
import subprocess
import sys
import unittest

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
RECORDINGS = sorted((TREE / "tests" / "data" / "recordings").glob("*.soak"))


class RecordingExample(unittest.TestCase):
    def test_reads_every_recording(self):
        """The program in docs/recording.md reads what it describes."""
        page = (TREE / "docs" / "recording.md").read_text()
        program = re.search(r"```python\n(.*?)```", page, re.S)[1]
        self.assertTrue(RECORDINGS)
        for recording in RECORDINGS:
            done = subprocess.run([sys.executable, "-c", program, recording], text=True,
                                  capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"CPU \d+: \d+ stalls\n( +[0-9.]+ us.*\n)+")


if __name__ == "__main__":
    unittest.main()
