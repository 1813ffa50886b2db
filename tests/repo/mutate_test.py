#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tools/mutate finds what is planted in programs of our own, says the same for the same seed, and finds nothing in a few
hundred files with the real program.

usage: mutate_test.py ROOT PROGRAM
"""
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools" / "mutation"))
sys.dont_write_bytecode = True
import changes  # noqa: E402

OBJ = "".join("v %d %d 0.5\n" % (k % 4, k // 4) for k in range(16)) + "f 1 2 6 5\nf 2 3 7 6\n"

# Refuses all that it is asked but `info`; %s is done for an .obj that is damaged.
STAND_IN = r"""#!/usr/bin/python3
import os, pathlib, sys, time
words = sys.argv[1:]
name = next(w for w in words[1:] if w.startswith("input"))
if words[0] == "info":
    if pathlib.Path(name).read_bytes().count(b"\n") != 18:
        %s
        sys.exit("sinew: the fault should have ended the program")
    print("{}")
else:
    print("sinew: %%s: there is nothing that can be done with it" %% name, file=sys.stderr)
    sys.exit(4)
"""


class Mutate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "data").mkdir()
        (self.folder / "data" / "grid.obj").write_text(OBJ)
        self.kept = self.folder / "kept"

    def plant(self, fault):
        program = self.folder / "program"
        program.write_text(STAND_IN % fault)
        program.chmod(0o755)
        return program

    def mutate(self, program, *words):
        return subprocess.run([ROOT / "tools/mutate", self.folder / "data", "--plain", "--program", program, "--keep", self.kept,
                               *map(str, words)], capture_output=True, text=True)

    def findings(self):
        return {p.parent.name: json.loads(p.read_text()) for p in sorted(self.kept.glob("*/finding.json"))}

    def find(self, fault, *words):
        shutil.rmtree(self.kept, ignore_errors=True)
        done = self.mutate(self.plant(fault), "--files", 30, *words)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        found = self.findings()
        self.assertTrue(found)
        return done, found

    def test_what_is_planted_is_found(self):
        for fault, kind, words in (
                ("os.kill(os.getpid(), 11)", "crash", "signal 11"),
                ("sys.exit(1)", "exit", "exit code 1"),
                ("sys.exit(2)", "exit", "exit code 2"),
                ("sys.exit(3)", "message", "no sentence"),
                ("print('sinew: the file is bad in some way', file=sys.stderr); sys.exit(3)", "message", "does not name"),
                ("print('sinew: %s: holds \\x1b in it' % name, file=sys.stderr); sys.exit(3)", "message", "control character"),
                ("print('{\"volume\": NaN}'); sys.exit(0)", "json", "NaN"),
                ("pathlib.Path('half.tmp').touch(); print('sinew: %s: was not finished' % name, file=sys.stderr); sys.exit(4)",
                 "output", "left half.tmp")):
            with self.subTest(fault):
                _, found = self.find(fault)
                self.assertEqual({f["kind"] for f in found.values()}, {kind})
                self.assertIn(words, next(iter(found.values()))["what"])

    def test_loops_and_sleeps_are_told_apart(self):
        for fault, kind in (("while True: pass", "time"), ("time.sleep(1000)", "sleep")):
            with self.subTest(fault):
                shutil.rmtree(self.kept, ignore_errors=True)
                done = self.mutate(self.plant(fault), "--files", 4, "--cpu", 0.5, "--sleep", 3, "--jobs", 4)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertEqual({f["kind"] for f in self.findings().values()}, {kind})

    def test_too_much_memory_is_found(self):
        _, found = self.find("data = bytes(range(256)) * 1000000; sys.exit(3)", "--files", 3, "--memory", 200)
        self.assertEqual({f["kind"] for f in found.values()}, {"memory"})

    def test_outputs_are_looked_at(self):
        for suffix, body in ((".obj", "v 0 nan 0\\n"), (".pc2", "0" * 32 + "\\xff" * 8)):
            program = self.folder / "program"
            program.write_text("#!/usr/bin/python3\nimport pathlib, sys\n"
                               "out = sys.argv[sys.argv.index('-o') + 1] if '-o' in sys.argv else ''\n"
                               "if out.endswith('%s'): pathlib.Path(out).write_bytes('%s'.encode('latin1'))\n"
                               "elif out: print('sinew: %%s: none of that' %% sys.argv[2], file=sys.stderr)\n"
                               "if '--json' in sys.argv: print('{}')\n"
                               "sys.exit(4 if out and not out.endswith('%s') else 0)\n" % (suffix, body, suffix))
            program.chmod(0o755)
            done = self.mutate(program, "--files", 60)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            found = [f for f in self.findings().values() if f["out"] and f["out"].endswith(suffix)]
            self.assertTrue(found, done.stdout)
            self.assertIn("finite", found[0]["what"])

    def test_a_sound_program_has_no_findings(self):
        program = self.folder / "program"
        program.write_text("#!/bin/sh\necho \"sinew: $2 $3 $5: cannot be read at all\" >&2\nexit 3\n")
        program.chmod(0o755)
        done = self.mutate(program, "--files", 40)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("40 files", done.stdout)
        self.assertFalse(self.kept.exists())

    def test_a_seed_says_it_all(self):
        crash = "os.kill(os.getpid(), 11)"
        _, first = self.find(crash, "--seed", 7, "--jobs", 1)
        bytes_of = {name: (self.kept / name / "input.obj").read_bytes() for name in first}
        _, second = self.find(crash, "--seed", 7, "--jobs", 3)
        self.assertEqual(first, second)
        self.assertEqual(bytes_of, {name: (self.kept / name / "input.obj").read_bytes() for name in second})
        self.kept = self.folder / "others"
        _, third = self.find(crash, "--seed", 8)
        self.assertNotEqual(set(bytes_of.values()), {(self.kept / name / "input.obj").read_bytes() for name in third})

    def test_a_finding_can_be_replayed_until_it_is_mended(self):
        _, found = self.find("os.kill(os.getpid(), 11)")
        name = next(iter(found))
        done = self.mutate(self.folder / "program", "--replay", self.kept / name)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("crash", done.stdout)
        seed, number = name.split("-")
        self.assertEqual(self.mutate(self.folder / "program", "--seed", seed, "--only", number).returncode, 1)
        self.plant("print('{}'); sys.exit(0)")
        done = self.mutate(self.folder / "program", "--replay", self.kept / name)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_most_damage_of_a_glb_leaves_a_container(self):
        data = (ROOT / "fuzz/corpus/gltf/skinned.glb").read_bytes()
        damaged = [changes.damage(random.Random(k), ".glb", data, data) for k in range(300)]
        whole = [d for d in damaged if changes.read_glb(d)]
        self.assertGreater(len(whole), 200)
        self.assertGreater(len(set(damaged)), 250)
        self.assertLess(damaged.count(data), 10)

    def test_the_program_has_no_findings_in_the_corpus(self):
        done = subprocess.run([ROOT / "tools/mutate", ROOT / "fuzz/corpus", "--program", PROGRAM, "--keep", self.kept, "--files",
                               "200", "--cpu", "30"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-1000:])
        self.assertRegex(done.stdout, r"info 0: \d\d+")  # not all of them are refused
        self.assertTrue(re.search(r"pose 0: \d+", done.stdout), done.stdout)


if __name__ == "__main__":
    unittest.main()
