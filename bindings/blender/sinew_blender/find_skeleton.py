# SPDX-License-Identifier: Apache-2.0
import bpy
import numpy as np
from mathutils import Matrix

from .exchange import Exchange, TO_GLTF
from .glb import Reader
from .job import Job, check_editable, selected_meshes
from .program import Failed


SHORTEST = 0.01  # of the body: bones below it cannot be picked


class SINEW_OT_find_skeleton(Job, bpy.types.Operator):
    """Fit an armature into the selected meshes: they are one body, facing the front view (-Y), in any rest pose"""
    bl_idname = "sinew.find_skeleton"
    bl_label = "Find Skeleton"

    @classmethod
    def poll(cls, context):
        return bool(selected_meshes(context))

    def steps(self, context):
        items, settings = selected_meshes(context), context.scene.sinew
        if not items:
            raise Failed("Select the mesh of a character first.")
        for item in items:
            check_editable(item)
        exchange = Exchange(items)
        exchange.save(f"{self.folder}/mesh.glb")
        words = ["skeleton", f"{self.folder}/mesh.glb", "-o", f"{self.folder}/skeleton.glb", "--names", settings.names]
        if settings.template != "AUTO":
            words += ["--template", settings.template]
        if settings.through_volume:
            words.append("--through-volume")
        found = yield words
        armature = add_armature(context, items, f"{self.folder}/skeleton.glb", SHORTEST * exchange.size)
        for item in (*items, armature):
            item.select_set(True)
        return describe(found, len(armature.data.bones))


def describe(found, bones):
    template = found.get("template")
    fitted = f"{'An' if template == 'arm' else 'A'} {template}" if template and template != "none" else "A skeleton without a template"
    sentence = f"{fitted} of {bones} bones"
    confidence = found.get("confidence")
    if confidence is not None:
        sentence += f", confidence {confidence:.0%}"
    sentence += ", mirrored left and right." if found.get("symmetric") else ", left and right found apart."
    if confidence is not None and confidence < 0.65:
        sentence += " Look at the bones, move those that are off in Edit Mode, or choose a template."
    return sentence


def add_armature(context, items, path, shortest):
    """Bones where the joints of the file are, y along the bone. The armature stands at the world's origin."""
    file = Reader(path)
    joints = file.document["skins"][0]["joints"]
    matrices, parents = file.global_matrices()
    to_blender = np.linalg.inv(TO_GLTF)
    data = bpy.data.armatures.new("Skeleton")
    armature = bpy.data.objects.new("Skeleton", data)
    collection = items[0].users_collection[0] if items[0].users_collection else context.collection
    collection.objects.link(armature)
    armature.show_in_front = True
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    made = {}
    for joint in joints:
        bone = data.edit_bones.new(file.nodes[joint].get("name", "joint"))
        bone.tail = (0, max(shortest, length_of(file, matrices, joint)), 0)
        bone.matrix = Matrix((to_blender @ matrices[joint]).tolist())
        made[joint] = bone
    for joint, bone in made.items():
        parent = made.get(parents.get(joint))
        if parent:
            bone.parent = parent
            bone.use_connect = (parent.tail - bone.head).length < 1e-3 * parent.length
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def length_of(file, matrices, joint):
    """To the joint below that lies along the bone; of leaves, to the stored tail."""
    node = file.nodes[joint]
    along = [np.linalg.inv(matrices[joint]) @ matrices[child][:, 3] for child in node.get("children", [])]
    ahead = [p[1] for p in along if p[1] > 0.5 * np.linalg.norm(p[:3])]
    tail = node.get("extensions", {}).get("SINEW_rig", {}).get("tail")
    if ahead:
        return float(min(ahead, key=lambda y: min(np.linalg.norm(p[:3] - [0, y, 0]) for p in along)))
    if tail:
        return float(np.linalg.norm(tail)) or 1e-3
    return float(max([np.linalg.norm(p[:3]) for p in along] + [1e-3]))


CLASSES = [SINEW_OT_find_skeleton]
