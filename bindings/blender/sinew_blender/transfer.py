# SPDX-License-Identifier: Apache-2.0
import bpy

from .bind import attach
from .exchange import Exchange
from .job import Job, armature_of, check_editable, selected_meshes
from .meshes import group_weights, set_group_weights
from .program import Failed


class SINEW_OT_transfer(Job, bpy.types.Operator):
    """Give clothes and hair the weights of the body beneath them: select them, then the body last"""
    bl_idname = "sinew.transfer"
    bl_label = "Transfer to Clothes"

    @classmethod
    def poll(cls, context):
        return len(selected_meshes(context)) > 1

    def steps(self, context):
        body = context.active_object
        clothes = [item for item in selected_meshes(context) if item != body]
        armature = armature_of([body]) if body and body.type == "MESH" else None
        if not armature or not clothes:
            raise Failed("Select the clothes, then the body, which has to be bound to an armature.")
        for item in clothes:
            check_editable(item)
        exchange = Exchange(clothes, armature)
        whole = Exchange([body], armature)
        if not (group_weights(body, whole.bones[:whole.deforming])[1] > 0).any():
            raise Failed(f"{body.name} has no weights. Bind it first.")
        whole.save(f"{self.folder}/body.glb")
        exchange.save(f"{self.folder}/mesh.glb", weighted=False)
        yield ["reweight", f"{self.folder}/mesh.glb", "--from", f"{self.folder}/body.glb", "--prune",
               context.scene.sinew.influences, "-o", f"{self.folder}/rig.glb"]
        for item, (slots, weights) in zip(clothes, exchange.read_weights(f"{self.folder}/rig.glb")):
            set_group_weights(item, exchange.bones[:exchange.deforming], slots, weights)
            attach(item, armature)
        count = sum(len(item.data.vertices) for item in clothes)
        sentence = f"{count:,} vertices of {', '.join(item.name for item in clothes)} follow {body.name}."
        if any(key.name.startswith("sinew ") for key in body.data.shape_keys.key_blocks) if body.data.shape_keys else False:
            sentence += " Select body and clothes and press Bake Flesh, so that flesh moves both."
        return sentence


CLASSES = [SINEW_OT_transfer]
