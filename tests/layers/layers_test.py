#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plants forbidden includes and untidy files into a copy of the project and sees each of them caught.

usage: layers_test.py ROOT
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
HEADER = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"


class CopyOfTheProject(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.copy = pathlib.Path(folder.name)
        for part in ("include", "src", "apps", "docs"):
            shutil.copytree(ROOT / part, self.copy / part)

    def plant(self, path, text):
        target = self.copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def run_check(self, tool):
        return subprocess.run([ROOT / "tools" / tool, self.copy], capture_output=True, text=True)

    def assert_caught(self, tool, path, *words):
        result = self.run_check(tool)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        lines = [line for line in result.stdout.splitlines() if line.startswith(path)]
        self.assertTrue(lines, f"{path} is not named in:\n{result.stdout}")
        for word in words:
            self.assertIn(word, lines[0])


class Layers(CopyOfTheProject):
    def plant_include(self, path, target):
        self.plant(path, HEADER + f'#include "{target}"\n')
        self.assert_caught("check_layers", f"{path}:3", target)

    def test_an_unchanged_copy_passes(self):
        result = self.run_check("check_layers")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_looking_up_is_caught(self):
        self.plant_include("include/sinew/core/planted.h", "sinew/rig/rig.h")

    def test_a_verb_that_includes_a_verb_is_caught(self):
        self.plant_include("src/deform/planted.cpp", "sinew/io/gltf.h")

    def test_a_noun_that_includes_its_neighbour_is_caught(self):
        self.plant_include("src/skeleton/planted.h", "sinew/mesh/poly_mesh.h")

    def test_a_server_that_includes_the_program_is_caught(self):
        self.plant_include("apps/studio/planted.h", "cli/console.h")
        self.plant_include("src/pipeline/planted.cpp", "studio/server.h")

    def test_another_modules_internal_header_is_caught(self):
        self.plant_include("src/rig/planted.cpp", "mesh/planted.h")

    def test_a_public_header_that_includes_an_internal_one_is_caught(self):
        self.plant_include("include/sinew/mesh/planted.h", "mesh/planted_too.h")

    def test_a_way_out_of_the_folder_is_caught(self):
        self.plant_include("src/core/planted.cpp", "../rig/planted.h")

    def test_an_unknown_module_is_caught(self):
        self.plant_include("src/rig/planted.cpp", "sinew/nowhere/planted.h")
        self.plant("src/nowhere/planted.cpp", HEADER)
        self.assert_caught("check_layers", "src/nowhere/planted.cpp")

    def test_angle_brackets_and_blanks_hide_nothing(self):
        self.plant("src/core/planted.cpp", HEADER + "  # include <sinew/rig/rig.h>\n")
        self.assert_caught("check_layers", "src/core/planted.cpp:3")

    def test_looking_down_is_allowed(self):
        self.plant("src/rig/planted.cpp", HEADER + '#include "sinew/mesh/poly_mesh.h"\n#include "rig/own.h"\n#include <vector>\n')
        self.assertEqual(self.run_check("check_layers").returncode, 0)

    def test_a_table_that_is_gone_is_no_pass(self):
        self.plant("docs/architecture.md", "nothing\n")
        self.assertNotEqual(self.run_check("check_layers").returncode, 0)


class Files(CopyOfTheProject):
    def test_an_unchanged_copy_passes(self):
        result = self.run_check("check_files")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_each_fault_is_caught(self):
        home = "/".join(["", "root", "x"])  # in pieces, since this file is checked too
        cases = {
            "src/core/no_licence.cpp": "int x;\n",
            "tools/no_licence_script": "#!/bin/sh\ntrue\n",
            "src/core/no_pragma.h": HEADER.splitlines()[0] + "\nint x;\n",
            "src/core/too_long.cpp": HEADER + "\n" * 600,
            "docs/pictures/too_big.png": "x" * 200_000,
            "docs/own_machine.md": f"look at {home}\n",
            "web/package-lock.json": '{\n"resolved": "https://example.org/x.tgz"\n}\n',
            "docs/unknown.md": "as in [nobody1999]\n",
            "stray.txt": "",
        }
        for path, text in cases.items():
            with self.subTest(path):
                self.plant(path, text)
                self.assert_caught("check_files", path)


if __name__ == "__main__":
    unittest.main()
