# SPDX-License-Identifier: Apache-2.0
import pathlib

import bpy
import numpy as np
from mathutils import Matrix

from .exchange import Exchange
from .glb import Reader, rotation_matrix
from .job import Job, bound_meshes, chosen_rig
from .program import Failed


class SINEW_OT_retarget(Job, bpy.types.Operator):
    """Fit a motion of another skeleton (.bvh, .glb) to the armature, as an action"""
    bl_idname = "sinew.retarget"
    bl_label = "Retarget Motion"

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", description="The motion: .bvh, .glb or .gltf")
    filter_glob: bpy.props.StringProperty(default="*.bvh;*.glb;*.gltf", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return any(item.type == "ARMATURE" or item.find_armature() for item in context.selected_objects)

    def invoke(self, context, _event):
        self.interactive = not bpy.app.background
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def steps(self, context):
        motion = pathlib.Path(bpy.path.abspath(self.filepath))
        if not motion.is_file():
            raise Failed(f"There is no motion at {self.filepath}.")
        armature = next((item for item in context.selected_objects if item.type == "ARMATURE"), None) or chosen_rig(context)[1]
        exchange = Exchange(bound_meshes(context, armature), armature)
        exchange.save(f"{self.folder}/mesh.glb")
        rate = context.scene.render.fps / context.scene.render.fps_base
        words = ["retarget", f"{self.folder}/mesh.glb", "--motion", motion, "--replace", "--fps", rate,
                 "-o", f"{self.folder}/moved.glb"]
        if not context.scene.sinew.hold_feet:
            words.append("--slide")
        yield words
        file = Reader(f"{self.folder}/moved.glb")
        actions = [add_action(exchange, file, animation, rate) for animation in file.document.get("animations", [])]
        if not actions:
            raise Failed(f"{motion.name} has no motion.")
        data = armature.animation_data_create()
        data.action = actions[0]
        if hasattr(data, "action_slot") and actions[0].slots:
            data.action_slot = actions[0].slots[0]
        first, last = actions[0].frame_range
        return (f"{actions[0].name}: {last - first + 1:.0f} frames" +
                (f", and {len(actions) - 1} more actions" if len(actions) > 1 else "") + f" for {armature.name}.")


def add_action(exchange, file, animation, rate):
    """The clip relative to the rest pose of each bone."""
    tracks = {}
    for channel in animation["channels"]:
        target = channel["target"]
        sampler = animation["samplers"][channel["sampler"]]
        if target["path"] in ("rotation", "translation"):
            tracks.setdefault(file.nodes[target["node"]]["name"], {})[target["path"]] = (
                file.array(sampler["input"])[:, 0], file.array(sampler["output"]))
    action = bpy.data.actions.new(animation.get("name", "motion"))
    action.use_fake_user = True
    curves, group = curves_of(action, exchange.armature.name)
    local = exchange.local_rest()
    for bone, name in enumerate(exchange.bones):
        for path, (times, values) in tracks.get(name, {}).items():
            frames = 1 + times * rate
            if path == "rotation":
                exchange.armature.pose.bones[name].rotation_mode = "QUATERNION"
                values = relative_rotations(local[bone], values)
                add_curves(curves, group, name, "rotation_quaternion", frames, values)
            else:
                moved = (values - local[bone][:3, 3]) @ local[bone][:3, :3]
                if np.abs(moved).max() > 1e-6 * exchange.lengths[bone]:
                    add_curves(curves, group, name, "location", frames, moved)
    return action


def relative_rotations(rest, values):
    """w, x, y, z in the bone's own axes, each near the one before."""
    turned = rest[:3, :3].T @ rotation_matrix(values)
    found = np.array([Matrix(matrix.tolist()).to_quaternion() for matrix in turned])
    flips = np.sign(np.einsum("ij,ij->i", found[1:], found[:-1]))
    found[1:] *= np.cumprod(np.where(flips < 0, -1, 1))[:, None]
    return found


def curves_of(action, name):
    """Where curves are added, and what the argument for their group is called. From 5.0 on an action has slots for objects."""
    if hasattr(action, "fcurves"):
        return action.fcurves, "action_group"
    slot = action.slots.new(id_type="OBJECT", name=name)
    strip = action.layers.new("Layer").strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True).fcurves, "group_name"


def add_curves(curves, group, bone, path, frames, values):
    for index in range(values.shape[1]):
        curve = curves.new(f'pose.bones["{bone}"].{path}', index=index, **{group: bone})
        curve.keyframe_points.add(len(frames))
        curve.keyframe_points.foreach_set("co", np.column_stack([frames, values[:, index]]).ravel())
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
        curve.update()


CLASSES = [SINEW_OT_retarget]
