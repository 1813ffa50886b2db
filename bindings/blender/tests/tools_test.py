# SPDX-License-Identifier: Apache-2.0
"""Check, Transfer to Clothes, Retarget Motion."""
import json
import math

import bpy
import numpy as np
from support import CLOSE, Case, read_obj, shown, sinew, size_of, turn, weights_of

from sinew_blender.exchange import Exchange


class Check(Case):
    def test_grades_are_the_programs_and_faults_are_selected(self):
        path = self.make("arm")
        item, armature = self.rig(f"{path}.obj")
        lost = [3, 50, 51]
        for group in item.vertex_groups:
            group.remove(lost)
        self.assertEqual(bpy.ops.sinew.check(), {"FINISHED"})
        Exchange([item], armature).save(self.folder / "mesh.glb")
        wanted = json.loads(sinew("check", self.folder / "mesh.glb", "--json"))
        self.assertEqual(self.settings.grade, wanted["grade"])
        grades = {joint["name"]: joint["grade"] for joint in wanted["joints"] if joint["grade"]}
        self.assertEqual({entry.name: entry.grade for entry in self.settings.grades}, grades)
        self.assertEqual([v.index for v in item.data.vertices if v.select], lost)
        self.assertIn("3 vertices without weights", self.settings.message)
        self.assertEqual(bpy.ops.sinew.show_bone(bone=self.settings.grades[0].name), {"FINISHED"})
        self.assertEqual(armature.data.bones.active.name, self.settings.grades[0].name)

    def test_a_good_rig_has_nothing_selected(self):
        item, _ = self.rig(f"{self.make('arm')}.obj")
        self.assertEqual(bpy.ops.sinew.check(), {"FINISHED"})
        self.assertIn(self.settings.grade, "AB")
        self.assertFalse(any(v.select for v in item.data.vertices))


class Transfer(Case):
    def test_clothes_follow_the_body(self):
        path = self.make("arm")
        body, armature = self.rig(f"{path}.obj")
        points, faces = read_obj(f"{path}.obj")
        middle = points.mean(axis=0)
        sleeve = self.add_mesh("sleeve", (middle + 1.02 * (points - middle))[:, [0, 2, 1]] * [1, -1, 1], faces[100:300])
        self.select(sleeve, body)
        self.assertEqual(bpy.ops.sinew.transfer(), {"FINISHED"})
        self.assertIn("sleeve follow body", self.settings.message)
        used = np.unique(np.concatenate(faces[100:300]))
        names = [g.name for g in body.vertex_groups]
        columns = [names.index(g.name) for g in sleeve.vertex_groups]
        self.assertLess(np.abs(weights_of(sleeve)[used] - weights_of(body)[used][:, columns]).max(), 0.2)
        turn(armature, {armature.data.bones[1].name: [0, 0, 50]})
        away = np.linalg.norm(shown(sleeve)[used] - shown(body)[used], axis=1).max()
        self.assertLess(away, 0.05 * size_of(points))

    def test_a_body_without_weights_is_refused(self):
        path = self.make("arm")
        body, cloth = self.add(f"{path}.obj"), self.add(f"{path}.obj", "cloth")
        self.select(cloth, body)
        self.refused(bpy.ops.sinew.transfer, "bound")


class Retarget(Case):
    def test_an_action_moves_vertices_as_the_clip_does(self):
        path = self.make("biped", 1500)
        item, armature = self.rig(f"{path}.obj", "biped", method="heat")
        bpy.context.scene.render.fps = 30
        self.assertEqual(bpy.ops.sinew.retarget(filepath=f"{path}.glb"), {"FINISHED"})  # its clip: walk
        Exchange([item], armature).save(self.folder / "mesh.glb")
        sinew("retarget", self.folder / "mesh.glb", "--motion", f"{path}.glb", "--replace", "-o", self.folder / "moved.glb")
        scene = bpy.context.scene
        for frame in (1, 7, 13):
            scene.frame_set(frame)
            sinew("pose", self.folder / "moved.glb", "--clip", 0, "--time", (frame - 1) / 30, "--deformer", "lbs",
                  "-o", self.folder / "posed.obj")
            wanted = read_obj(self.folder / "posed.obj")[0]
            self.assertLess(np.linalg.norm(shown(item) - wanted, axis=1).max(), CLOSE * size_of(wanted), frame)
        self.assertGreater(math.dist(*[armature.pose.bones["thigh.L"].matrix.col[1][:3]
                                       for frame in (1, 13) if scene.frame_set(frame) is None]), 0.01)

    def test_a_missing_motion_is_refused(self):
        item, armature = self.rig(f"{self.make('arm')}.obj")
        self.refused(bpy.ops.sinew.retarget, "no motion", filepath="/nowhere.bvh")
