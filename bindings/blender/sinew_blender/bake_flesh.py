# SPDX-License-Identifier: Apache-2.0
import bpy
import numpy as np

from .exchange import Exchange
from .flesh import Flesh, read_frames
from .job import Job, chosen_rig, wanted
from .meshes import group_weights
from .program import Failed
from .shape_keys import TURN, check_keys, remove_keys, write_shapes


class SINEW_OT_bake_flesh(Job, bpy.types.Operator):
    """Bake how flesh bends and twists into shape keys that the bones drive. Vertex groups stay as they are"""
    bl_idname = "sinew.bake_flesh"
    bl_label = "Bake Flesh"

    @classmethod
    def poll(cls, context):
        return wanted(context)

    def steps(self, context):
        items, armature = chosen_rig(context)
        settings = context.scene.sinew
        if not armature:
            raise Failed("The mesh has no armature. Bind it first.")
        if reason := refuse_flesh(items, armature):
            raise Failed(reason)
        flesh = Flesh(Exchange(items, armature), settings.swing, settings.twist)
        flesh.exchange.save(f"{self.folder}/mesh.glb", clip=flesh.clip())
        self.part = (0, 0.9)
        words = ["rig", f"{self.folder}/mesh.glb", "-o", f"{self.folder}/rig.glb", "--add-joint", "all"]
        if settings.voxels >= 4:
            words += ["--voxels", settings.voxels]
        yield words
        frames = yield from flesh_steps(self)
        return finish(flesh, frames, settings)


class SINEW_OT_remove_flesh(bpy.types.Operator):
    """Remove the shape keys and drivers of Bake Flesh from the selected meshes"""
    bl_idname = "sinew.remove_flesh"
    bl_label = "Remove Flesh"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return wanted(context)

    def execute(self, context):
        try:
            items, armature = chosen_rig(context)
        except Failed as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        count = sum(remove_keys(item) for item in items)
        for bone in armature.pose.bones if armature else []:
            if TURN in bone:
                armature.driver_remove(f'pose.bones["{bone.name}"]["{TURN}"]')
                del bone[TURN]
        self.report({"INFO"}, f"Removed {count} shape keys.")
        return {"FINISHED"}


def refuse_flesh(items, armature):
    """Why flesh cannot be baked for them, or None."""
    try:
        for item in items:
            check_keys(item)
    except Failed as problem:
        return str(problem)
    curved = [bone.name for bone in armature.data.bones if bone.bbone_segments > 1 and bone.use_deform]
    if curved:
        return f"{curved[0]} is a bendy bone, which Blender deforms otherwise. Set its segments to 1."
    return None


def flesh_steps(job):
    """Deforms the samples of rig.glb; gives their positions."""
    job.part = (0.9, 1)
    yield ["bake", f"{job.folder}/rig.glb", "--clip", "samples", "--fps", 1, "-o", f"{job.folder}/samples.pc2"]
    return read_frames(f"{job.folder}/samples.pc2")


def finish(flesh, frames, settings):
    """Fits the shapes, writes them, and says how far they are off."""
    exchange = flesh.exchange
    rows = [group_weights(shape.item, exchange.bones[:exchange.deforming]) for shape in exchange.shapes]
    width = max(slots.shape[1] for slots, _ in rows)
    slots, weights = (np.vstack([np.pad(row[k], ((0, 0), (0, width - row[k].shape[1]))) for row in rows]) for k in (0, 1))
    flesh.fit(frames, slots, weights, settings.tolerance / 100 * exchange.size, settings.keys_per_bone)
    one, all_bones = flesh.errors(frames)
    armature = exchange.armature
    count = write_shapes(flesh, armature)
    for shape in exchange.shapes:
        for modifier in shape.item.modifiers:
            if modifier.type == "ARMATURE" and modifier.object == armature:
                modifier.use_deform_preserve_volume = False  # flesh replaces it
    return (f"Flesh: {count} shape keys for {len({c.bone for c in flesh.shapes})} bones. Off by {100 * one[0]:.2g} % of the size "
            f"where one bone turns, {100 * all_bones[0]:.2g} % where all do (99.9 % of vertices, poses that were not sampled).")


CLASSES = [SINEW_OT_bake_flesh, SINEW_OT_remove_flesh]
