# SPDX-License-Identifier: Apache-2.0
import math

import bpy
import numpy as np

from .exchange import Exchange
from .job import Job, chosen_rig, wanted
from .program import Failed


class SINEW_OT_check(Job, bpy.types.Operator):
    """Grade every bone by bending and twisting it, list what is wrong, and select the vertices to look at"""
    bl_idname = "sinew.check"
    bl_label = "Check"

    @classmethod
    def poll(cls, context):
        return wanted(context)

    def steps(self, context):
        items, armature = chosen_rig(context)
        settings = context.scene.sinew
        if not armature:
            raise Failed("The mesh has no armature. Bind it first.")
        exchange = Exchange(items, armature)
        exchange.save(f"{self.folder}/mesh.glb")
        words = ["check", f"{self.folder}/mesh.glb", "--bend", round(math.degrees(settings.check_bend), 3),
                 "--twist", round(math.degrees(settings.check_twist), 3)]
        if settings.check_influences:
            words += ["--influences", settings.check_influences]
        found = yield words
        show_grades(settings, found)
        count = select_vertices(context, exchange, np.array(found["faulty_vertices"], int))
        return describe(found, count)


class SINEW_OT_show_bone(bpy.types.Operator):
    """Make this bone the active one"""
    bl_idname = "sinew.show_bone"
    bl_label = "Show Bone"
    bl_options = {"INTERNAL", "UNDO"}

    bone: bpy.props.StringProperty()

    @classmethod
    def description(cls, context, properties):
        entry = context.scene.sinew.grades.get(properties.bone)
        return (entry.reasons if entry and entry.reasons else "Nothing is wrong") + ". Click to make this bone the active one"

    def execute(self, context):
        try:
            _, armature = chosen_rig(context)
        except Failed:
            armature = None
        if not armature or self.bone not in armature.data.bones:
            self.report({"ERROR"}, f"Select the armature that has {self.bone}.")
            return {"CANCELLED"}
        for bone in armature.data.bones:
            holder = bone if hasattr(bone, "select") else armature.pose.bones[bone.name]  # which has it from 5.0 on
            holder.select = bone.name == self.bone
        armature.data.bones.active = armature.data.bones[self.bone]
        for item in context.selected_objects:
            if item.type == "MESH" and self.bone in item.vertex_groups:
                item.vertex_groups.active_index = item.vertex_groups[self.bone].index
        return {"FINISHED"}


def show_grades(settings, found):
    settings.grade = found["grade"]
    settings.grades.clear()
    graded = [joint for joint in found["joints"] if joint["grade"]]
    for joint in sorted(graded, key=lambda joint: joint["grade"], reverse=True):
        entry = settings.grades.add()
        entry.name, entry.grade, entry.reasons = joint["name"], joint["grade"], "; ".join(joint["reasons"])


def select_vertices(context, exchange, faulty):
    """Selects them and no others; of copies that a Mirror modifier makes, nothing. Returns how many."""
    count = 0
    context.tool_settings.mesh_select_mode = (True, False, False)
    for shape, start in zip(exchange.shapes, exchange.starts):
        mesh = shape.item.data
        flags = np.zeros(shape.count, bool)
        flags[faulty[(faulty >= start) & (faulty < start + shape.count)] - start] = True
        mesh.edges.foreach_set("select", np.zeros(len(mesh.edges), bool))
        mesh.polygons.foreach_set("select", np.zeros(len(mesh.polygons), bool))
        mesh.vertices.foreach_set("select", flags)
        mesh.update()
        count += int(flags.sum())
    return count


def describe(found, selected):
    worst = [joint["name"] for joint in found["joints"] if joint["grade"] and joint["grade"] >= "D"]
    parts = [f"{found[key]} {text}" for key, text in (
        ("unweighted", "vertices without weights"), ("torn", "places that come apart"), ("strays", "weights across gaps"),
        ("mirrored", "vertices differ from their mirror images")) if found[key]]
    sentence = f"Grade {found['grade']}"
    if worst:
        sentence += f"; poor: {', '.join(worst[:4])}" + (f" and {len(worst) - 4} more" if len(worst) > 4 else "")
    if parts:
        sentence += "; " + ", ".join(parts)
    return sentence + (f". {selected} vertices are selected; see them in Edit Mode." if selected else ". No vertex is at fault.")


CLASSES = [SINEW_OT_check, SINEW_OT_show_bone]
