#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A terminal that is gone, a full disk behind stdout: what was printed is checked, what nobody hears is no fault.

usage: streams_test.py PROGRAM SOURCE [unittest arguments]
"""
import os
import subprocess
import unittest

from program import FOREVER, PROGRAM, ProgramTest, text_of


def run(words, redirection):
    """The exit code, and what came on the stream that was left alone."""
    done = subprocess.run(["bash", "-c", 'exec "$@" ' + redirection, "bash", PROGRAM, *map(str, words)],
                          capture_output=True, text=True, timeout=FOREVER)
    return done.returncode, done.stdout, done.stderr


@unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
class Streams(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.biped = cls.make("biped.glb", "biped", "--resolution", 600)

    def test_messages_that_nobody_hears_change_nothing(self):
        for redirection in ("2>/dev/full", "2>&-"):
            with self.subTest(redirection):
                out = self.path("%d.glb" % len(redirection))
                self.assertEqual(run(["info", "missing.glb"], redirection)[0], 5)
                self.assertEqual(run(["pose", self.biped, "-o", out, "--deformer", "none"], redirection)[0], 2)
                self.assertEqual(run(["nonsense"], redirection)[0], 2)
                # Notes, too: one says which bones were solved on finer grids.
                self.assertEqual(run(["make", "biped", "--resolution", 600, "-o", out], redirection)[0], 0)
                self.call("info", out)
                code, stdout, _ = run(["info", self.biped, "--json"], redirection)
                self.assertEqual((code, stdout[:1]), (0, "{"))

    def test_progress_in_lines_is_for_programs_that_ask_for_it(self):
        words = ["rig", self.biped, "--voxels", 60, "-o", self.path("progress.glb")]
        code, _, said = run([*words, "--force", "--progress", "--quiet"], "")
        self.assertEqual(code, 0, said)
        lines = said.splitlines()
        self.assertGreater(len(lines), 2, said)
        for line in lines:
            self.assertRegex(line, r"^progress: [01]\.\d\d\d \S")
            self.assertLessEqual(float(line.split()[1]), 1)
        self.assertNotIn("progress", run([*words, "--force"], "")[2])

    def test_what_cannot_be_printed_is_exit_5(self):
        for redirection in (">/dev/full", ">&-"):
            for words in (["info", self.biped], ["info", self.biped, "--json"], ["--help"], ["pose", "--help"], ["--version"]):
                with self.subTest(redirection, words=words):
                    code, _, stderr = run(words, redirection)
                    self.assertEqual(code, 5, stderr)
                    self.assertIn("cannot write to the standard output", stderr)

    def test_files_are_whole_whatever_becomes_of_the_streams(self):
        plain = self.path("plain.obj")
        self.call("pose", self.biped, "--deformer", "volume", "-o", plain)
        self.assertTrue(text_of(plain).rstrip().splitlines()[-1].startswith("f "))
        for k, redirection in enumerate((">/dev/full", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-")):
            with self.subTest(redirection):
                out = self.path("%d.obj" % k)
                code = run(["pose", self.biped, "--deformer", "volume", "-o", out], redirection)[0]
                self.assertEqual(code, 5 if ">/dev/full" in redirection or ">&-" in redirection.replace("2>&-", "") else 0)
                self.assertEqual(text_of(out), text_of(plain))

    def test_the_studio_does_not_start_where_its_address_cannot_be_told(self):
        code, _, stderr = run(["studio", "--no-open"], ">/dev/full")
        if "without the studio" in stderr:
            self.skipTest("built without the studio")
        self.assertEqual(code, 5, stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
