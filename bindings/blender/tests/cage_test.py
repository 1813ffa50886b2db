# SPDX-License-Identifier: Apache-2.0
"""Cage Bind: Blender shows what `sinew cage pose` gives, and follows a linear map of the cage exactly."""
import bpy
import numpy as np
from support import CLOSE, Case, read_obj, shown, sinew, size_of

from sinew_blender.exchange import Exchange


class Cage(Case):
    def bend(self, cage):
        """Moves the vertices of the cage, one kind of bend for any cage."""
        for vertex in cage.data.vertices:
            vertex.co.z += 0.4 * vertex.co.x ** 2
            vertex.co.y *= 1.5
        cage.data.update()
        bpy.context.view_layer.update()

    def test_a_moved_cage_moves_the_mesh_as_the_program_does(self):
        path = self.make("arm")
        item = self.add(f"{path}.obj")
        sinew("cage", "bind", f"{path}.obj", "--auto", "--controls", 40, "--cage-out", self.folder / "cage.obj",
              "-o", self.folder / "auto.glb")
        cage = self.add(self.folder / "cage.obj", "box")
        self.select(item, cage)
        self.assertEqual(bpy.ops.sinew.cage_bind(), {"FINISHED"})
        rest = read_obj(f"{path}.obj")[0]
        self.assertLess(np.abs(shown(item) - rest).max(), 1e-5 * size_of(rest))
        Exchange([item]).save(self.folder / "mesh.glb")
        Exchange([cage]).save(self.folder / "cage.glb")
        self.bend(cage)
        Exchange([cage]).save(self.folder / "moved.glb")
        sinew("cage", "bind", self.folder / "mesh.glb", "--cage", self.folder / "cage.glb", "--resolution", 6, "--threshold", 1e-4,
              "-o", self.folder / "bound.glb")
        sinew("cage", "pose", self.folder / "bound.glb", "--moved", self.folder / "moved.glb", "-o", self.folder / "posed.obj")
        wanted = read_obj(self.folder / "posed.obj")[0]
        self.assertGreater(np.abs(wanted - rest).max(), 0.05 * size_of(rest))
        self.assertLess(np.linalg.norm(shown(item) - wanted, axis=1).max(), CLOSE * size_of(rest))

    def test_a_cage_that_is_made_scales_the_mesh_as_itself(self):
        path = self.make("arm")
        item = self.add(f"{path}.obj")
        item.vertex_groups.new(name="pins").add([4], 0.5, "REPLACE")
        self.settings.cage_controls = 60
        for _ in range(2):  # again: nothing is left twice
            self.select(item)
            self.assertEqual(bpy.ops.sinew.cage_bind(), {"FINISHED"})
        rest = read_obj(f"{path}.obj")[0]
        cage = next(o for o in bpy.data.objects if o.name.startswith("Cage") and o.type == "MESH" and o.vertex_groups and
                    any(m.object and m.object.name == f"{o.name} Controls" for m in item.modifiers))
        self.assertEqual([m.type for m in item.modifiers], ["ARMATURE"])
        self.assertAlmostEqual(item.vertex_groups["pins"].weight(4), 0.5)
        for vertex in cage.data.vertices:
            vertex.co.z *= 1.5
        cage.data.update()
        bpy.context.view_layer.update()
        self.assertLess(np.abs(shown(item) - rest * [1, 1.5, 1]).max(), CLOSE * size_of(rest))

    def test_a_cage_with_a_hole_is_refused(self):
        path = self.make("arm")
        item = self.add(f"{path}.obj")
        open_box = self.add_mesh("open", [(0, 0, 0), (9, 0, 0), (0, 9, 0), (0, 0, 9)], [(0, 1, 2), (0, 1, 3)])
        self.select(item, open_box)
        self.refused(bpy.ops.sinew.cage_bind, "not closed")
        self.assertEqual(len(item.vertex_groups), 0)
