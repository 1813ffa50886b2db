#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completions and manual pages hold what --help holds, and shells and man read them.

usage: shell_test.py PROGRAM SOURCE [unittest arguments]
"""
import re
import shutil
import subprocess
import unittest

from program import ProgramTest


def options_in(help_text):
    """The long options that a page of --help-all lists."""
    return set(re.findall(r"(?m)^  (?:-\w,)?(--[a-z][a-z-]*)", help_text))


class Shell(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.verbs = re.findall(r"(?m)^  (\w+) ", cls.say("--help").split("Subcommands:\n")[1])

    @classmethod
    def say(cls, *words):
        return cls.call(cls(), *words).stdout

    def script(self, shell):
        path = self.path("completion." + shell)
        with open(path, "w") as f:
            f.write(self.say("--completion", shell))
        return path

    def complete_in_bash(self, *words):
        """What bash offers for the last word."""
        code = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sinew; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", code, "-", self.script("bash"), "sinew", *words], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash_completes_verbs_options_and_values(self):
        self.assertEqual(self.complete_in_bash("rew"), ["reweight"])
        self.assertEqual([word for word in self.complete_in_bash("") if not word.startswith("-")], self.verbs)
        for verb in self.verbs:
            offered = {word for word in self.complete_in_bash(verb, "--") if word.startswith("--")}
            self.assertLessEqual(options_in(self.say(verb, "--help-all")), offered, verb)
        self.assertEqual(self.complete_in_bash("pose", "x.glb", "--deformer", "swing"), ["swing-twist"])
        self.assertEqual(self.complete_in_bash("pose", "x.glb", "--blend", ""), ["polar", "explog"])
        self.assertEqual(self.complete_in_bash("make", "bi"), ["biped", "bird"])
        self.assertEqual(self.complete_in_bash("cage", "bi"), ["bind"])
        self.assertEqual(self.complete_in_bash("pose", "x.glb", "-o", ""), [])  # files, which bash completes itself

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish_completes_verbs_options_and_values(self):
        def offered(line):
            done = subprocess.run(["fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', self.script("fish"), line],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return [row.split("\t")[0] for row in done.stdout.splitlines()]
        self.assertEqual(offered("sinew rew"), ["reweight"])
        self.assertEqual(offered("sinew pose x.glb --deformer swing"), ["swing-twist"])
        for verb in self.verbs:
            self.assertLessEqual(options_in(self.say(verb, "--help-all")), set(offered("sinew %s --" % verb)), verb)

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh_reads_its_script_and_knows_every_option(self):
        script = self.script("zsh")
        done = subprocess.run(["zsh", "-n", script], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(script) as f:
            text = f.read()
        for verb in self.verbs:
            part = re.search(r"(?ms)^    %s\)\n(.*?) ;;$" % verb, text)[1]
            self.assertLessEqual(options_in(self.say(verb, "--help-all")), set(re.findall(r"'\*?(--[a-z-]+)\[", part)), verb)

    def test_manual_pages_hold_every_option_and_man_reads_them(self):
        for verb in ["sinew", *self.verbs]:
            page = self.say("--man", verb)
            self.assertTrue(page.startswith(".TH SINEW"), page[:40])
            asked = ["--help"] if verb == "sinew" else [verb, "--help-all"]
            self.assertLessEqual(options_in(self.say(*asked)), set(re.findall(r"--[a-z][a-z-]*", page.replace("\\-", "-"))), verb)
            if shutil.which("groff"):
                done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), verb)

    def test_others_are_misuse(self):
        self.assertIn("bash, zsh or fish", self.call("--completion", "tcsh", code=2).stderr)
        self.assertIn("'dance'", self.call("--man", "dance", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
