# SPDX-License-Identifier: Apache-2.0
import json

import bpy
import numpy as np

from .bake_flesh import finish, flesh_steps, refuse_flesh
from .exchange import Exchange
from .flesh import Flesh
from .job import Job, chosen_rig, selected_meshes
from .meshes import set_group_weights
from .program import Failed


class SINEW_OT_bind(Job, bpy.types.Operator):
    """Compute vertex groups of the selected meshes for the selected armature. Locked groups and groups of other uses stay"""
    bl_idname = "sinew.bind"
    bl_label = "Bind"

    @classmethod
    def poll(cls, context):
        return bool(selected_meshes(context))

    def steps(self, context):
        items, armature = chosen_rig(context)
        settings = context.scene.sinew
        if not armature:
            raise Failed("Select the armature too, or press Find Skeleton first.")
        exchange = Exchange(items, armature)
        reason = refuse_flesh(items, armature) if settings.flesh else None
        flesh = Flesh(exchange, settings.swing, settings.twist) if settings.flesh and not reason else None
        exchange.save(f"{self.folder}/mesh.glb", clip=flesh.clip() if flesh else None)
        chosen = chosen_vertices(items) if settings.only_selected else [None] * len(items)
        self.part = (0, 0.9) if flesh else (0, 1)
        report = yield self.command(items, settings, exchange, chosen, flesh)
        found = exchange.read_weights(f"{self.folder}/rig.glb")
        frames = (yield from flesh_steps(self)) if flesh else None
        for item, (slots, weights), vertices in zip(items, found, chosen):
            set_group_weights(item, exchange.bones[:exchange.deforming], slots, weights, vertices)
            attach(item, armature)
        sentence = describe(report, items, chosen)
        if flesh:
            sentence += " " + finish(flesh, frames, settings)
        elif reason:
            sentence += f" Flesh was not baked: {reason}"
        return sentence

    def command(self, items, settings, exchange, chosen, flesh):
        words = ["rig" if flesh else "weights", f"{self.folder}/mesh.glb", "-o", f"{self.folder}/rig.glb",
                 "--method", settings.method, "--influences", settings.influences, "--add-joint", "all"]
        if settings.voxels >= 4:
            words += ["--voxels", settings.voxels]
        for item in items:
            option = {"FOLLOW": "--follow", "RIGID": "--rigid"}.get(item.sinew_part)
            if option:
                words += [option, item.name]
        if any(item.sinew_part == "BODY" for item in items):
            words.append("--own-islands")
        locked = {group.name for item in items for group in item.vertex_groups if group.lock_weight}
        for name in exchange.bones[:exchange.deforming]:
            if name in locked:
                words += ["--lock", name]
        if settings.only_selected:
            words += ["--lock-vertices", self.save_locked(exchange, chosen)]
        return words

    def save_locked(self, exchange, chosen):
        """Vertices whose weights stay: all that are not selected."""
        keep = np.ones(exchange.starts[-1], bool)
        for start, vertices in zip(exchange.starts, chosen):
            keep[start + vertices] = False
        path = f"{self.folder}/locked.json"
        with open(path, "w") as file:
            json.dump(np.flatnonzero(keep).tolist(), file)
        return path


def chosen_vertices(items):
    found = []
    for item in items:
        flags = np.empty(len(item.data.vertices), bool)
        item.data.vertices.foreach_get("select", flags)
        found.append(np.flatnonzero(flags))
    if not any(len(vertices) for vertices in found):
        raise Failed("No vertex is selected. Select some in Edit Mode, or turn off Only Selected Vertices.")
    return found


def attach(item, armature):
    """An Armature modifier, before subdivision so that it is fast, and the armature as parent where there is none."""
    if not any(m.type == "ARMATURE" and m.object == armature for m in item.modifiers):
        modifier = item.modifiers.new("Armature", "ARMATURE")
        modifier.object = armature
        first = next((k for k, m in enumerate(item.modifiers) if m.type in ("SUBSURF", "MULTIRES")), None)
        if first is not None and first < len(item.modifiers) - 1:
            with bpy.context.temp_override(object=item):
                bpy.ops.object.modifier_move_to_index(modifier=modifier.name, index=first)
    if item.parent is None:
        world = item.matrix_world.copy()
        item.parent = armature
        item.matrix_parent_inverse = armature.matrix_world.inverted_safe()
        item.matrix_world = world


def describe(report, items, chosen):
    count = sum(len(item.data.vertices) for item in items) if chosen[0] is None else sum(map(len, chosen))
    what = items[0].name if len(items) == 1 else f"{len(items)} meshes"
    sentence = f"Bound {what}: {count:,} vertices to {report['bones']} bones by {report['method']}"
    notes = [f"{report[key]} {text}" for key, text in (("layers", "pieces follow the body"), ("rigid", "pieces are rigid"),
                                                       ("filled", "vertices were filled in from neighbours")) if report.get(key)]
    return sentence + (f" ({', '.join(notes)})" if notes else "") + f", {report['seconds']:.1f} s."


CLASSES = [SINEW_OT_bind]
