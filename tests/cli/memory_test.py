#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Out of memory is exit 6 and a sentence, wherever it happens: the n-th allocation fails, n swept, for every verb; and
the address space is limited (ulimit -v).

usage: memory_test.py PROGRAM SOURCE [unittest arguments]
"""
import os
import re
import resource
import sys
import unittest

from every_verb import LEFT_OUT, listed_verbs, quick_calls
from program import ALL, PROGRAM, ProgramTest, some

PRELOADED = os.path.join(os.path.dirname(PROGRAM), "fail_allocation.so")
if not os.path.exists(PRELOADED):
    print("skipped: there is no", PRELOADED)
    sys.exit(77)


class Memory(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rig = cls.make("rig.glb", "arm", "--resolution", 200)
        cls.body = cls.make("body.glb", "biped")

    def verbs(self):
        obj = self.path("arm.obj")
        self.call("convert", self.rig, "-o", obj, "--force")
        return quick_calls(self.rig, obj, self.path)

    def expect_done_or_limit(self, done, words):
        if done.returncode == 0:
            return 0
        self.assertEqual(done.returncode, 6, "%s\n%s" % (words, done.stderr[-400:]))
        self.assertIn("memory", done.stderr, words)
        self.assertFalse([f for f in os.listdir(self.folder.name) if f.endswith(".tmp")], words)
        return 6

    def test_no_verb_is_left_out(self):
        self.assertEqual(listed_verbs(self.call("--help").stdout), {words[0] for words in self.verbs()} | LEFT_OUT)

    def test_the_nth_allocation_fails(self):
        environment = dict(os.environ, LD_PRELOAD=PRELOADED)
        environment.pop("FAIL_ALLOCATION", None)
        def allocations(*words):
            return int(re.search(r"allocations (\d+)", self.call(*words, env=environment).stderr).group(1))
        steps = 24 if ALL else 8
        parsing = allocations("--version")  # before any verb does its work
        for words in self.verbs():
            total = allocations(*words)
            places = {parsing * k // 4 for k in range(4)} | {parsing + (total - parsing) * k // steps for k in range(steps)}
            places |= {total - 1 - k for k in ((0, 1, 2, 3, 5, 8, 13, 30, 70) if ALL else (0, 3, 13))}
            limits = 0
            for place in sorted(places):
                for mode in ("", "+"):  # this one alone, and all from there on
                    environment["FAIL_ALLOCATION"] = "%d%s" % (place, mode)
                    done = self.run_any(*words, env=environment)
                    limits += self.expect_done_or_limit(done, (environment["FAIL_ALLOCATION"], words)) == 6
            environment.pop("FAIL_ALLOCATION")
            self.assertGreater(limits, len(places), words)

    def test_every_limit_of_the_address_space(self):
        for words in (("info", self.body), ("pose", self.body, "--deformer", "volume", "-o", self.path("x.obj"), "--force"),
                      ("render", self.body, "-o", self.path("x.png"), "--force"),
                      ("weights", self.body, "--method", "bbw", "-o", self.path("x.glb"), "--force"),
                      ("pose", self.rig, "--deformer", "elastic", "--set", "ForeArm=0,0,30", "-o", self.path("x.obj"),
                       "--force")):
            for megabytes in some([*range(24, 60, 3), *range(60, 400, 25)]):
                limit = megabytes << 20
                done = self.run_any(*words,
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
                if done.returncode == 127:  # not even its libraries could be loaded
                    continue
                self.expect_done_or_limit(done, (megabytes, words))


if __name__ == "__main__":
    unittest.main()
