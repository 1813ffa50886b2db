#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What ./dev promises that can be seen without building.

usage: dev_test.py ROOT
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
COMMANDS = "demo studio test build package blender docs bench fuzz mutate asan valgrind format pictures judge".split()
TOOLS = "bash env dirname sed awk sort tr cat mktemp rm id sudo mkdir tail head cut grep sleep nproc".split()


class Dev(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.copy = pathlib.Path(folder.name)
        for name in ("dev", "packages.txt"):
            shutil.copy(ROOT / name, self.copy)
        (self.copy / "tools").mkdir()
        shutil.copy(ROOT / "tools/steps.bash", self.copy / "tools")
        self.bin = self.copy / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            if found := shutil.which(tool):
                (self.bin / tool).symlink_to(found)

    def stand_in(self, name, body):
        """A program of our own that takes the place of the real one and logs how it was called."""
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f'#!/usr/bin/env bash\necho "{name} $*" >>"{self.copy}/log"\n{body}\n')
        path.chmod(0o755)

    def run_dev(self, *arguments):
        environment = {**os.environ, "PATH": str(self.bin)}
        done = subprocess.run([self.copy / "dev", *arguments], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        log = self.copy / "log"
        return done.returncode, done.stdout, log.read_text() if log.exists() else ""

    def with_apt(self, installed):
        self.stand_in("dpkg-query", "echo installed" if installed else "exit 1")
        self.stand_in("apt-get", "")
        self.stand_in("id", "echo 0")
        self.stand_in("cmake", "")

    def test_alone_it_lists_every_command(self):
        code, out, _ = self.run_dev()
        self.assertEqual(code, 0)
        listed = re.findall(r"(?m)^  (\w+) +\S", out)
        self.assertLessEqual(set(COMMANDS), set(listed))
        defined = re.findall(r"(?m)^run_([a-z]+)\(\) \{  #", (ROOT / "dev").read_text())
        self.assertEqual(listed, defined)

    def test_alone_it_says_what_this_is_and_where_to_begin(self):
        _, out, _ = self.run_dev()
        self.assertIn("rig", out.splitlines()[0])
        self.assertLess(out.index("Start here"), out.index("  demo "))
        self.assertIn("./dev demo", out.splitlines()[-1])
        self.assertLessEqual(len(out.splitlines()), 40)
        self.assertLessEqual(max(map(len, out.splitlines())), 110)

    def test_an_unknown_command_is_a_usage_error(self):
        code, out, _ = self.run_dev("dmeo")
        self.assertEqual(code, 2)
        self.assertIn("dmeo", out)

    def test_nothing_is_fetched_when_nothing_is_missing(self):
        self.with_apt(installed=True)
        code, out, log = self.run_dev("build")
        self.assertEqual(code, 0, out)
        self.assertNotIn("apt-get", log)

    def test_build_installs_its_own_section_alone(self):
        self.with_apt(installed=False)
        code, out, log = self.run_dev("build")
        self.assertEqual(code, 0, out)
        install = next(line for line in log.splitlines() if line.startswith("apt-get") and " install " in line)
        self.assertIn("--yes --no-install-recommends", install)
        self.assertIn(" libeigen3-dev", install)
        for stranger in ("gtest", "blender", "npm", "clang", "chromium", "emscripten"):
            self.assertNotIn(stranger, install)

    def test_a_failed_install_names_the_packages_and_tries_the_build(self):
        self.with_apt(installed=False)
        self.stand_in("apt-get", "exit 100")
        code, out, log = self.run_dev("build")
        self.assertEqual(code, 0, out)
        self.assertIn("libeigen3-dev", out)
        self.assertIn("cmake --build", log)

    def test_without_apt_the_list_is_printed_and_the_build_tried(self):
        self.stand_in("cmake", "")
        code, out, log = self.run_dev("build")
        self.assertEqual(code, 0, out)
        self.assertIn("libeigen3-dev", out)
        self.assertIn("cmake --build", log)

    def test_the_last_lines_name_files_time_and_next_command(self):
        self.with_apt(installed=True)
        _, out, _ = self.run_dev("build")
        self.assertRegex(out, r"dev: made build/release/sinew\ndev: took \d+ s\ndev: next: .+\n$")

    def test_the_demo_ends_with_the_command_that_opens_the_biped(self):
        self.with_apt(installed=True)
        (self.copy / "tools/demo").write_text("#!/bin/sh\n")
        (self.copy / "tools/demo").chmod(0o755)
        code, out, _ = self.run_dev("demo")
        self.assertEqual(code, 0, out)
        self.assertEqual(out.splitlines()[-1], "dev: next: ./dev studio out/characters/biped.glb")

    def test_package_calls_cpack_and_leaves_none_of_its_scratch(self):
        self.with_apt(installed=True)
        self.stand_in("cpack", "mkdir -p out/packages/_CPack_Packages; touch out/packages/sinew.deb")
        (self.bin / "touch").symlink_to(shutil.which("touch"))
        code, out, log = self.run_dev("package")
        self.assertEqual(code, 0, out)
        self.assertIn("cpack --config build/release/CPackConfig.cmake", log)
        self.assertIn("dev: made out/packages/sinew.deb\n", out)

    def test_steps_are_numbered_and_their_output_is_kept(self):
        self.with_apt(installed=True)
        self.stand_in("cmake", '[[ $1 == --build ]] && echo "[3/7] Building x.cpp"; exit 0')
        code, out, _ = self.run_dev("build")
        self.assertEqual(code, 0, out)
        self.assertIn("dev: [1/2] configure\ndev: [2/2] build\n", out)
        self.assertIn("[3/7] Building x.cpp", (self.copy / "build/log/build.log").read_text())
        self.assertNotIn("Building x.cpp", out)

    def progress_of(self, log, planned="build 100 test 100"):
        """What is said of the first step of a plan whose log this is, after its first second."""
        script = f"""source tools/steps.bash; steps {planned}
            echo '{log}' >log.txt; on_terminal=yes; report_progress build 1 log.txt & sleep 2.5; kill $!"""
        done = subprocess.run(["bash", "-c", script], cwd=self.copy, stdout=subprocess.PIPE, text=True)
        return done.stdout.split("\r")[-1]

    def test_progress_says_step_count_work_and_time_left(self):
        said = self.progress_of("[5/10] Building CXX object CMakeFiles/sinew_io.dir/batches/io_3.cpp.o")
        # Half of a step that was planned for 100 s is done after a second or two: the other half takes as long, and the
        # next step as many times less than its 100 s.
        self.assertRegex(said, r"\[1/2\] build: 5 of 10, io_3.cpp, 0:0\d so far, about 0:0\d left")
        said = self.progress_of(" 30/120 Test  #31: mesh.Weld.Works ......   Passed    0.01 sec")
        self.assertRegex(said, r"30 of 120, mesh.Weld.Works, ")
        # Nothing is done yet: all that was planned, less the first seconds.
        self.assertRegex(self.progress_of("[0/10] begun"), r"about 3:1\d left")

    def test_what_fails_beside_others_runs_once_more_alone(self):
        self.with_apt(installed=True)
        listed = "99% tests passed, 1 tests failed out of 9\n\nThe following tests FAILED:\n\t  7 - cli.slow (Failed)\nErrors while running CTest"
        self.stand_in("ctest", f'[[ $* == *--rerun-failed* ]] && exit 0\necho "{listed}"; exit 8')
        code, out, log = self.run_dev("valgrind")
        self.assertEqual(code, 0, out)
        self.assertIn("dev: once more, one after the other: cli.slow", out)
        self.assertIn("dev: passed alone", out)
        self.assertNotIn("--parallel", [line for line in log.splitlines() if "--rerun-failed" in line][0])
        self.stand_in("ctest", f'echo "{listed}"; exit 8')
        code, out, _ = self.run_dev("valgrind")
        self.assertNotEqual(code, 0, out)

    def test_a_failing_build_shows_why(self):
        self.with_apt(installed=True)
        self.stand_in("cmake", '[[ $1 == --build ]] || exit 0; echo "[1/9] fine"; echo "FAILED: x.o"; echo "x.cpp:3: error"; exit 1')
        code, out, _ = self.run_dev("build")
        self.assertNotEqual(code, 0)
        self.assertIn("x.cpp:3: error", out)
        self.assertNotIn("[1/9] fine", out)
        self.assertIn("build/log/build.log", out)

    def test_a_failing_build_fails(self):
        self.with_apt(installed=True)
        self.stand_in("cmake", '[[ $1 == --build ]] && exit 1; exit 0')
        code, out, _ = self.run_dev("build")
        self.assertNotEqual(code, 0)
        self.assertNotIn("dev: made", out)


if __name__ == "__main__":
    unittest.main()
