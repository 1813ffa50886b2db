#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every verb once under valgrind, as text and as --json: it reads nothing that was not written or is freed, and ends
with the exit code that it has without. Valgrind shows the program a processor without AVX-512, so that Highway chooses
kernels that valgrind knows.

usage: valgrind_test.py PROGRAM SOURCE [unittest arguments]
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
import urllib.request

from every_verb import quick_calls
from program import PROGRAM, SANITIZED, ProgramTest, strict

BAD_MEMORY = 99  # no exit code of the program
VALGRIND = ("valgrind", "--quiet", "--error-exitcode=%d" % BAD_MEMORY)
if "SINEW_VALGRIND" not in os.environ or not shutil.which("valgrind"):
    print("skipped: this takes minutes; ./dev valgrind runs it")
    sys.exit(77)
if SANITIZED:
    print("skipped: the sanitizers of this build watch memory themselves")
    sys.exit(77)


class Valgrind(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rig = cls.make("rig.glb", "arm", "--resolution", 200)

    def calls(self):
        obj = self.path("arm.obj")
        self.call("convert", self.rig, "-o", obj, "--force")
        for words in quick_calls(self.rig, obj, self.path):
            if "--json" not in words:
                yield words + ({"handles": ("--voxels", 12), "rig": ("--voxels", 16)}.get(words[0], ()))
        keyed = self.path("keyed.glb")
        self.call("keys", "add", self.rig, "--key", "bulge=" + obj, "-o", keyed)
        yield "keys", "list", keyed  # which has a name to print
        yield "keys", "remove", "scale", "bulge", keyed, "-o", self.path("out.glb"), "--force"

    def under_valgrind(self, *words):
        done = subprocess.run([*VALGRIND, PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=900)
        self.assertEqual(done.returncode, 0, "%s\n%s" % (words, done.stderr[-4000:]))
        return done.stdout

    def test_a_fault_is_seen(self):
        # What all other tests stand on: valgrind watches the program and what it finds becomes the exit code.
        python = 'import ctypes, sys; p = ctypes.CDLL(None).malloc; p.restype = ctypes.c_void_p; ' \
                 'print(ctypes.c_ubyte.from_address(p(8) + 4096 * 64).value)'
        done = subprocess.run([*VALGRIND, sys.executable, "-c", python], capture_output=True, text=True)
        self.assertIn("Invalid read", done.stderr)

    def test_every_verb_as_text_and_as_json(self):
        for words in self.calls():
            with self.subTest(words[0]):
                self.under_valgrind(*words)
                strict(self.under_valgrind(*words, "--json"))

    def test_the_studio(self):
        words = [*VALGRIND, PROGRAM, "studio", self.rig, "--no-open"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
            address = server.stdout.readline().strip()
            if not address:
                server.wait(60)
                self.assertIn("without the studio", server.stderr.read())
                self.skipTest("built without the studio")
            host, token = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/\?token=(\w+)", address).groups()
            ask = urllib.request.Request(host + "/api/session", headers={"X-Sinew-Token": token})
            try:
                with urllib.request.urlopen(ask, timeout=60) as answer:
                    strict(answer.read())
            finally:
                server.send_signal(signal.SIGTERM)
            errors = server.communicate(timeout=60)[1]
            self.assertEqual(server.returncode, 0, errors[-4000:])


if __name__ == "__main__":
    unittest.main()
