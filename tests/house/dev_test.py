"""./dev with everything that it calls replaced: what does it install, build and start?"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

TOOLS = ["cat", "chown", "dirname", "env", "grep", "mv", "nproc", "readlink", "rm", "sed", "sh", "tr"]

# What the real ones would do, and a line in $LOG about it.
STAND_INS = {
    "id": 'echo "$USER_ID"',
    "dpkg-query": 'for name; do case $name in -*) ;; "$MISSING") ;; *) echo "installed $name"; esac; done',
    # Downloads fail until there was an update, if $LISTS are to be missing.
    "apt-get": """echo "apt-get $*" >> "$LOG"
        for name; do last=$name; done
        case $* in
        *update*) LISTS=; touch "$LOG.updated" ;;
        *download*) [ -z "$LISTS" ] || [ -e "$LOG.updated" ] || exit 100
            touch "${last}_1.0_amd64.deb" ;;
        esac
        exit "${APT_STATUS:-0}" """,
    "dpkg-deb": 'echo "dpkg-deb $*" >> "$LOG"; mkdir usr; exit "${UNPACK_STATUS:-0}"',
    "sudo": 'echo sudo >> "$LOG"; exec "$@"',
    "cmake": """echo "cmake $*" >> "$LOG"
        mkdir -p build/release
        touch build/release/build.ninja
        printf '#!/bin/sh\\necho "$PWD: $*"\\nexit 3\\n' > build/release/cyclesoak
        chmod +x build/release/cyclesoak""",
    "ctest": """echo "ctest $*" >> "$LOG"
        for name; do last=$name; done
        echo "<testsuite $RESULTS/>" > "$last"
        exit "${CTEST_STATUS:-0}" """,
}


class Dev(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        top = pathlib.Path(folder.name).resolve()
        self.log, self.bin, self.tree = top / "log", top / "bin", top / "a tree"
        self.tree.mkdir()
        self.bin.mkdir()
        shutil.copy(ROOT / "dev", self.tree)
        shutil.copy(ROOT / "packages.txt", self.tree)
        for name in [*TOOLS, "mkdir", "touch", "chmod"]:
            (self.bin / name).symlink_to(shutil.which(name))
        for name, text in STAND_INS.items():
            (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.bin / name).chmod(0o755)

    def dev(self, *arguments, user_id=1000, **environment):
        environment = {"PATH": str(self.bin), "LOG": str(self.log), "USER_ID": str(user_id),
                       "MISSING": "none", "LISTS": "", "RESULTS": 'disabled="0" skipped="0"', **environment}
        # from another folder: ./dev must find its own
        return subprocess.run([self.tree / "dev", *arguments], env=environment, cwd=self.bin,
                              text=True, stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def calls(self, name):
        text = self.log.read_text() if self.log.exists() else ""
        return [line for line in text.splitlines() if line.startswith(name)]

    def installations(self):
        return [call for call in self.calls("apt-get") if " install " in call]

    def test_usage(self):
        for arguments in [[], ["help"], ["build", "x"], ["test", "x"], ["test", "release", "x"]]:
            with self.subTest(arguments=arguments):
                result = self.dev(*arguments)
                self.assertEqual(result.returncode, 2)
                self.assertIn("usage: ./dev run", result.stderr)
        self.assertFalse(self.log.exists())

    def test_run_starts_the_program_where_the_user_is(self):
        result = self.dev("run", "watch", "-n 1")
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (3, f"{self.bin}: watch -n 1\n", ""))
        self.assertEqual(self.dev("run").stdout, f"{self.bin}: run\n")

    def test_nothing_missing_nothing_installed(self):
        self.assertEqual(self.dev("build").returncode, 0)
        self.assertEqual(self.calls("apt-get"), [])

    def test_build_configures_once(self):
        self.dev("build")
        self.dev("build")
        self.assertEqual(len(self.calls("cmake --preset release")), 1)
        self.assertEqual(len(self.calls("cmake --build")), 2)

    def test_root_installs_what_is_missing_and_only_that(self):
        result = self.dev("build", user_id=0, MISSING="libhwloc-dev")
        self.assertEqual(result.returncode, 0)
        self.assertIn("installing libhwloc-dev", result.stderr)
        update, install = self.calls("apt-get")
        self.assertIn("update", update)
        self.assertTrue(install.endswith("install --no-install-recommends libhwloc-dev"), install)
        self.assertEqual(self.calls("sudo"), [])

    def test_what_only_tests_need_is_not_installed_for_a_build(self):
        self.dev("build", MISSING="libgtest-dev")
        self.assertEqual(self.calls("apt-get"), [])
        self.dev("test", MISSING="libgtest-dev")
        self.assertEqual(len(self.installations()), 1)

    def test_user_installs_by_sudo(self):
        self.assertEqual(self.dev("build", MISSING="cmake").returncode, 0)
        self.assertEqual(len(self.calls("sudo")), 1)
        self.assertEqual(len(self.calls("apt-get")), 2)

    def test_user_without_sudo_is_told_what_to_install(self):
        (self.bin / "sudo").unlink()
        result = self.dev("build", MISSING="cmake")
        self.assertEqual(result.returncode, 1)
        self.assertIn("apt-get install --no-install-recommends cmake", result.stderr)
        self.assertNotIn("installing", result.stderr)
        self.assertFalse(self.log.exists())

    def test_failed_installation_builds_nothing(self):
        result = self.dev("build", MISSING="cmake", APT_STATUS="100")
        self.assertEqual(result.returncode, 1)
        self.assertIn("could not install", result.stderr)
        self.assertEqual(self.calls("cmake"), [])

    def test_tests_in_the_preset_asked_for(self):
        (self.tree / "build/asan").mkdir(parents=True)
        self.assertEqual(self.dev("test", "asan").returncode, 0)
        self.assertEqual(len(self.calls("cmake --preset asan -DCYCLESOAK_TESTS=ON")), 1)
        self.assertEqual(len(self.calls("ctest --preset asan")), 1)

    def test_the_cross_compiler_is_installed_for_its_tests_only(self):
        self.dev("test", MISSING="qemu-user")
        self.assertEqual(self.installations(), [])
        (self.tree / "build/aarch64").mkdir(parents=True)
        self.assertEqual(self.dev("test", "aarch64", MISSING="qemu-user").returncode, 0)
        self.assertTrue(self.installations()[-1].endswith("qemu-user"))
        self.assertEqual(len(self.calls("ctest --preset aarch64")), 1)

    def services(self):
        text = (self.tree / "packages.txt").read_text()
        return {line.split()[1] for line in text.splitlines() if line.startswith("unpack ")}

    def unpacked(self):
        return {path.name for path in (self.tree / "build/debian").glob("*") if (path / "usr").is_dir()}

    def test_services_are_unpacked_once_and_never_installed(self):
        self.assertTrue(self.services())
        self.assertEqual(self.dev("test", MISSING="prometheus").returncode, 0)
        self.assertEqual(self.unpacked(), self.services())
        downloads = self.calls("apt-get")
        self.assertEqual(len(downloads), len(self.services()))
        self.assertTrue(all(" download " in call for call in downloads), downloads)
        self.assertEqual(self.calls("sudo"), [])
        self.dev("test")
        self.assertEqual(self.calls("apt-get"), downloads)

    def test_only_tests_unpack_and_not_those_of_the_core(self):
        self.dev("build")
        self.dev("test", "aarch64")
        self.assertEqual(self.unpacked(), set())

    def test_missing_lists_are_fetched_before_unpacking(self):
        self.assertEqual(self.dev("test", LISTS="missing").returncode, 0)
        self.assertEqual(self.unpacked(), self.services())
        self.assertEqual(len([call for call in self.calls("apt-get") if "update" in call]), 1)
        self.assertEqual(len(self.calls("sudo")), 1)

    def test_what_cannot_be_unpacked_is_named_and_tried_again(self):
        result = self.dev("test", UNPACK_STATUS="2")
        self.assertEqual(result.returncode, 1)
        self.assertIn("could not unpack prometheus", result.stderr)
        self.assertEqual(self.calls("cmake"), [])
        self.assertEqual(self.dev("test").returncode, 0)
        self.assertEqual(self.unpacked(), self.services())

    def test_failed_skipped_and_disabled_tests_fail(self):
        for changes in [{"CTEST_STATUS": "8"}, {"RESULTS": 'disabled="0" skipped="1"'},
                        {"RESULTS": 'disabled="1" skipped="0"'}, {"RESULTS": ""}]:
            with self.subTest(changes=changes):
                self.assertNotEqual(self.dev("test", **changes).returncode, 0)


if __name__ == "__main__":
    unittest.main()
