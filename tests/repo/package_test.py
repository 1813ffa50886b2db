#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What cmake --install leaves works from any folder: program, libraries beside it, manual pages, completions, pkg-config.

usage: package_test.py ROOT BUILD COMPILER
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
COMPILER = sys.argv.pop(1)
GLIBC = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread)\.so\.\d+)$")
NEWEST_GLIBC = (2, 36)  # Debian 12's, which the tarball promises to be enough


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}")
    return done.stdout


def versions_needed(binary):
    return [tuple(map(int, found.split("."))) for found in re.findall(r"\(GLIBC_([\d.]+)\)", run("objdump", "-T", binary))]


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        first, cls.stage = (pathlib.Path(cls.folder.name, name) for name in ("first", "moved"))
        for component in ("program", "development", "bundle"):
            run("cmake", "--install", BUILD, "--prefix", first, "--component", component)
        first.rename(cls.stage)  # nothing may know where it was installed to
        cls.program = cls.stage / "bin/sinew"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_all_libraries_but_glibc_lie_beside_the_program(self):
        found = re.findall(r"(?m)^\s*(\S+) => (\S+)", run("ldd", self.program))
        self.assertGreater(len(found), 5)
        for name, path in found:
            if not GLIBC.match(name):
                self.assertEqual(pathlib.Path(path).resolve().parent, (self.stage / "lib/sinew").resolve(), name)

    def test_debian_12s_glibc_is_enough(self):
        if not shutil.which("objdump"):
            self.skipTest("there is no objdump")
        for binary in [self.program, *(self.stage / "lib/sinew").glob("*.so*")]:
            self.assertLessEqual(max(versions_needed(binary)), NEWEST_GLIBC, binary)

    def test_every_bundled_file_has_its_licence(self):
        self.assertGreater(len(list((self.stage / "share/doc/sinew/licences").iterdir())), 5)
        self.assertTrue((self.stage / "share/doc/sinew/LICENSE").exists())

    def test_it_makes_and_renders_a_character(self):
        work = pathlib.Path(self.folder.name)
        run(self.program, "make", "arm", "-o", work / "arm.glb")
        said = run(self.program, "render", work / "arm.glb", "--grid", "-o", work / "arm.png")
        self.assertNotIn("no text was drawn", said)

    def test_there_is_a_manual_page_for_every_verb_and_a_completion_for_every_shell(self):
        verbs = re.findall(r"(?m)^  (\w+) ", run(self.program, "--help").split("Subcommands:\n")[1])
        pages = {path.name for path in (self.stage / "share/man/man1").iterdir()}
        self.assertEqual(pages, {"sinew.1"} | {f"sinew-{verb}.1" for verb in verbs})
        for name in ("bash-completion/completions/sinew", "fish/vendor_completions.d/sinew.fish"):
            self.assertIn("made by 'sinew --completion", (self.stage / "share" / name).read_text())
        self.assertEqual(len(list((self.stage / "share/zsh").glob("*/_sinew"))), 1)

    def test_pkg_config_is_enough_to_play_a_rig(self):
        work = pathlib.Path(self.folder.name)
        environment = {**os.environ, "PKG_CONFIG_PATH": str(next(self.stage.glob("lib/**/pkgconfig")))}
        for name in ("sinew", "sinew-player"):
            flags = run("pkg-config", "--cflags", "--libs", name, env=environment).split()
            self.assertIn(f"-I{self.stage}/include", [flag.replace("/lib/pkgconfig/../..", "") for flag in flags])
            if name == "sinew-player":
                self.assertFalse([flag for flag in flags if "png" in flag])
                run(COMPILER, "-std=c++20", ROOT / "tests/consumer/readme.cpp", *flags, "-o", work / name)
                run(self.program, "make", "cylinder", "-o", work / "cylinder.glb")
                run(work / name, work / "cylinder.glb")


if __name__ == "__main__":
    unittest.main()
