#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Doxygen renders the comments of all public headers without a warning, and the reference has the main entry points.

usage: api_test.py ROOT
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()


class Api(unittest.TestCase):
    def test_every_comment_renders_and_the_start_page_s_headers_are_there(self):
        with tempfile.TemporaryDirectory() as folder:
            settings = (ROOT / "tools/site/Doxyfile").read_text()
            settings += f"\nOUTPUT_DIRECTORY = {folder}\nGENERATE_TAGFILE =\nGENERATE_TREEVIEW = NO\nVERBATIM_HEADERS = NO\n"
            done = subprocess.run(["doxygen", "-"], cwd=ROOT, input=settings, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            pages = "\n".join(path.read_text() for path in pathlib.Path(folder, "api").glob("*_8h.html"))
        for header in re.findall(r"`(sinew/\w+/\w+\.h)`", (ROOT / "docs/api.md").read_text()):
            self.assertIn(f"{header} File Reference", pages)


if __name__ == "__main__":
    if not shutil.which("doxygen"):
        print("skipped: doxygen is not installed, ./dev docs installs it")
        sys.exit(77)
    unittest.main()
