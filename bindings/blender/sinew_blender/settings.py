# SPDX-License-Identifier: Apache-2.0
"""The settings of the panel, stored in the scene; what a mesh is, in the object; progress, in the window manager."""
import math

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from . import program
from .preferences import preferences_of

TEMPLATES = [
    ("AUTO", "Automatic", "The template that fits best; joints where limbs meet and bend if none does"),
    ("biped", "Biped", "Two legs, two arms, a head"), ("quadruped", "Quadruped", "Four legs, a tail"),
    ("bird", "Bird", "Two legs, two wings, a tail"), ("hand", "Hand", "A wrist and fingers"),
    ("snake", "Snake", "One long spine"), ("arm", "Arm", "An upper arm, a forearm, a hand"),
    ("cylinder", "Cylinder", "Two bones along a tube"),
    ("none", "No Template", "Joints where the limbs meet and bend, for any creature")]
NAMES = [
    ("rigify", "Blender", "Rigify's names with .L and .R, by which Blender mirrors poses and weights"),
    ("mixamo", "Mixamo", "Hips, LeftArm"), ("mixamorig", "Mixamo with Prefix", "mixamorig:Hips"),
    ("unreal", "Unreal", "pelvis, upperarm_l"), ("unity", "Unity", "Hips, LeftUpperArm"),
    ("godot", "Godot", "Hips, LeftUpperArm"), ("vrm", "VRM", "hips, leftUpperArm")]
PARTS = [
    ("AUTO", "Automatic", "Decided from the mesh: small pieces beside a larger one follow it"),
    ("BODY", "Body", "Weights by the method, whatever lies beneath"),
    ("FOLLOW", "Clothes or Hair", "Follows the body beneath it"),
    ("RIGID", "Rigid", "Moved by one bone: eyes, teeth, buttons, weapons")]
method_items = []  # Blender needs a reference to the strings


def list_methods(_self, context):
    try:
        rows = program.weight_methods(program.find(preferences_of(context).program))
    except program.Failed:
        rows = [("bbw", "The program was not found")]
    items = [(name, name.replace("-", " ").title() if len(name) > 3 else name.upper(), text[:1].upper() + text[1:], number)
             for number, (name, text) in enumerate(rows)]
    if items != method_items:
        method_items[:] = items
    return method_items


class SinewGrade(bpy.types.PropertyGroup):
    """Of one bone: `name` is the bone's."""
    grade: StringProperty()
    reasons: StringProperty()


class SinewSettings(bpy.types.PropertyGroup):
    template: EnumProperty(name="Template", items=TEMPLATES, default="AUTO",
                           description="The kind of skeleton that is fitted into the mesh")
    names: EnumProperty(name="Bone Names", items=NAMES, default="rigify", description="Naming convention of a biped's bones")
    through_volume: BoolProperty(
        name="Search in Volume", default=False,
        description="Search for limbs in a voxel grid. For meshes with loose or self-intersecting geometry")
    method: EnumProperty(name="Weights", items=list_methods, description="How weights are computed")
    influences: IntProperty(name="Influences", default=4, min=1, max=64,
                            description="The most bones that a vertex follows. Game engines take 4 or 8")
    voxels: IntProperty(name="Voxels", default=0, min=0, max=1024,
                        description="Cells along the longest side of the voxel grid; 0: chosen from the mesh. More resolve "
                                    "fingers and lips")
    only_selected: BoolProperty(
        name="Only Selected Vertices", default=False,
        description="Keep the weights of vertices that are not selected in Edit Mode")
    flesh: BoolProperty(
        name="Bake Flesh", default=True,
        description="Also bake corrective shape keys, so that bent and twisted limbs keep their volume")
    swing: FloatProperty(name="Bend up to", subtype="ANGLE", default=math.radians(100), min=math.radians(20),
                         max=math.radians(150), description="Bones are sampled up to this bend. Beyond it the flesh stays "
                                                            "as it is there")
    twist: FloatProperty(name="Twist up to", subtype="ANGLE", default=math.radians(90), min=math.radians(20),
                         max=math.radians(150), description="Bones are sampled up to this twist")
    tolerance: FloatProperty(
        name="Tolerance", default=0.1, min=0.001, max=5, subtype="PERCENTAGE", precision=3,
        description="Bones get no further shape keys once their sampled poses are off by less, in percent of the size")
    keys_per_bone: IntProperty(
        name="Keys per Bone", default=6, min=1, max=24,
        description="The most shape keys that a bone drives. 24 meet every sampled pose; fewer keep posing fast")
    check_bend: FloatProperty(name="Bend", subtype="ANGLE", default=math.radians(60), min=math.radians(1),
                              max=math.radians(179), description="Every bone is bent by this much")
    check_twist: FloatProperty(name="Twist", subtype="ANGLE", default=math.radians(60), min=math.radians(1),
                               max=math.radians(179), description="Every bone is twisted by this much")
    check_influences: IntProperty(name="Most Influences", default=0, min=0, max=64,
                                  description="Report vertices that follow more bones than this; 0: any number")
    hold_feet: BoolProperty(name="Hold Feet", default=True, description="Keep feet that stand in their place")
    cage_precision: IntProperty(
        name="Precision", default=6, min=2, max=10,
        description="The grid in the cage has 2 to this power cells along its longest side, as that of Mesh Deform")
    cage_controls: IntProperty(name="Control Points", default=200, min=8, max=2000,
                               description="About as many vertices has a cage that is made for a mesh")
    grade: StringProperty()
    grades: CollectionProperty(type=SinewGrade)
    message: StringProperty()
    show_skeleton: BoolProperty(name="More", description="Show all settings of Find Skeleton")
    show_bind: BoolProperty(name="More", description="Show all settings of Bind")
    show_flesh: BoolProperty(name="More", description="Show all settings of Bake Flesh")
    show_check: BoolProperty(name="More", description="Show all settings of Check")


class SinewProgress(bpy.types.PropertyGroup):
    fraction: FloatProperty(name="Progress", min=0, max=1, subtype="FACTOR", description="How much of the work is done")
    stage: StringProperty()


CLASSES = [SinewGrade, SinewSettings, SinewProgress]


def add_properties():
    bpy.types.Scene.sinew = PointerProperty(type=SinewSettings)
    bpy.types.WindowManager.sinew = PointerProperty(type=SinewProgress)
    bpy.types.Object.sinew_part = EnumProperty(name="Part", items=PARTS, default="AUTO",
                                               description="What this mesh is of the character, for Bind")


def remove_properties():
    del bpy.types.Scene.sinew, bpy.types.WindowManager.sinew, bpy.types.Object.sinew_part
