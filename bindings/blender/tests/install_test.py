# SPDX-License-Identifier: Apache-2.0
"""The .zip as Blender sees it: found, described, and clear about what is missing."""
import importlib.util
import pathlib
import re
import sys

import bpy
import support
from support import Case

import sinew_blender
from sinew_blender import program


class Install(Case):
    def test_the_program_lies_beside_the_add_on_and_runs(self):
        path = program.find()
        beside = pathlib.Path(sinew_blender.__file__).parent
        if (beside / "program").is_dir():
            self.assertEqual(path.parent.parent.parent, beside)
        else:  # packed with wheels only: Blender installed the one that fits
            self.assertEqual(path.parent.parent, pathlib.Path(importlib.util.find_spec("sinew").origin).parent)
        self.assertRegex(program.version(path), r"\d+\.\d+\.\d+")

    def test_without_a_program_the_user_is_told_what_to_do(self):
        bpy.context.preferences.addons[support.MODULE].preferences.program = "/nowhere/sinew"
        self.add_mesh("triangle", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
        said = self.refused(bpy.ops.sinew.find_skeleton, "/nowhere/sinew")
        self.assertIn("preferences", said)
        bpy.context.preferences.addons[support.MODULE].preferences.program = ""

    def test_where_nothing_is_installed_the_message_names_both_ways(self):
        places, program.candidates = program.candidates, lambda chosen="": iter(())
        try:
            with self.assertRaises(program.Failed) as caught:
                program.find()
        finally:
            program.candidates = places
        self.assertIn("Preferences", str(caught.exception))
        self.assertIn("pip install", str(caught.exception))

    def test_manifest_and_legacy_header_have_one_version(self):
        manifest = (pathlib.Path(sinew_blender.__file__).parent / "blender_manifest.toml").read_text()
        version = ".".join(map(str, sinew_blender.bl_info["version"]))
        self.assertEqual(re.search(r'(?m)^version = "(.*)"', manifest)[1], version)
        self.assertIn(version, program.version(program.find()))
        self.assertIn("platforms", manifest)

    def test_every_operator_and_setting_has_a_tooltip(self):
        kinds = [kind for module in sinew_blender.MODULES for kind in module.CLASSES]
        operators = [kind for kind in kinds if issubclass(kind, bpy.types.Operator)]
        self.assertGreater(len(operators), 6)
        for kind in operators:
            self.assertTrue(kind.__doc__ and len(kind.__doc__) > 15, kind)
            self.assertFalse(kind.__doc__.endswith("."), f"{kind}: Blender adds the full stop")
        for name, entry in bpy.types.Scene.bl_rna.properties["sinew"].fixed_type.properties.items():
            if name not in ("rna_type", "name", "grade", "grades", "message"):
                self.assertTrue(entry.description, name)

    def test_weight_methods_are_the_programs(self):
        names = [name for name, _ in program.weight_methods(program.find())]
        self.assertEqual(names[0], "bbw")
        self.assertLess({"heat", "geodesic", "elastic", "envelope"}, set(names))
        for name in names:
            self.settings.method = name

    def test_it_can_be_turned_off_and_on(self):
        bpy.ops.preferences.addon_disable(module=support.MODULE)
        self.assertFalse(hasattr(bpy.types.Scene, "sinew"))
        bpy.ops.preferences.addon_enable(module=support.MODULE)
        self.assertTrue(hasattr(bpy.types.Scene, "sinew"))
        self.assertIn(support.MODULE, sys.modules)
