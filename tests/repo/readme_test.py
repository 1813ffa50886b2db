#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What README.md says is true: its lines of C++ are compiled ones, its commands are run, its links lead somewhere.

usage: readme_test.py ROOT PROGRAM
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
README = (ROOT / "README.md").read_text()


def lines_of(language):
    blocks = re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return [line.strip() for block in blocks for line in block.splitlines() if line.strip()]


class Readme(unittest.TestCase):
    def test_every_line_of_code_is_in_the_consumer_project(self):
        compiled = [line.strip() for line in (ROOT / "tests/consumer/readme.cpp").read_text().splitlines()]
        self.assertTrue(lines_of("cpp"))
        for line in lines_of("cpp"):
            self.assertIn(line, compiled)

    def test_every_link_leads_to_a_file(self):
        for target in re.findall(r"\]\(([^)#:]+)\)", README):
            self.assertTrue((ROOT / target).exists(), target)

    def test_every_command_of_dev_is_there(self):
        listed = subprocess.run([ROOT / "dev"], capture_output=True, text=True).stdout
        for name in re.findall(r"\./dev ([a-z]+)", README):
            self.assertRegex(listed, rf"(?m)^ +{name} ")

    def test_every_sinew_line_runs_as_it_stands(self):
        commands = [line for line in lines_of("sh") if line.startswith("sinew ")]
        self.assertTrue(commands)
        with tempfile.TemporaryDirectory() as folder:
            for command in commands:
                done = subprocess.run([PROGRAM, *shlex.split(command, comments=True)[1:]], cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stderr}")

    def test_the_table_of_verbs_is_the_programs(self):
        help_text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout
        listed = re.search(r"(?m)^Subcommands:\n((?:  .*\n)+)", help_text)
        table = README.split("| verb | does |")[1].split("\n\n")[0]
        self.assertEqual(re.findall(r"(?m)^\| `(\w+)` \|", table), re.findall(r"(?m)^  (\w+) ", listed[1]))


if __name__ == "__main__":
    unittest.main()
