# SPDX-License-Identifier: Apache-2.0
import bpy
import numpy as np
from mathutils import Matrix

from .exchange import TO_GLTF, Exchange
from .glb import Reader
from .job import Job, check_editable, selected_meshes
from .meshes import assign
from .program import Failed

PREFIX = "cage "
THRESHOLD = 1e-4  # smaller coordinates are dropped, and the others corrected
STILL = "cage still"  # carries what lies beyond the cage's reach


class SINEW_OT_cage_bind(Job, bpy.types.Operator):
    """Let a cage deform the selected meshes, as Mesh Deform does but bound faster: select them, then the cage last. A single mesh gets a cage made for it"""
    bl_idname = "sinew.cage_bind"
    bl_label = "Cage Bind"

    @classmethod
    def poll(cls, context):
        return bool(selected_meshes(context))

    def steps(self, context):
        items, settings = selected_meshes(context), context.scene.sinew
        cage = context.active_object if len(items) > 1 else None
        items = [item for item in items if item != cage]
        for item in items:
            check_editable(item)
            if any(modifier.type == "MIRROR" for modifier in item.modifiers):
                raise Failed(f"{item.name} has a Mirror modifier. Apply it first.")
        exchange = Exchange(items)
        exchange.save(f"{self.folder}/mesh.glb")
        words = ["cage", "bind", f"{self.folder}/mesh.glb", "-o", f"{self.folder}/caged.glb",
                 "--resolution", settings.cage_precision, "--threshold", THRESHOLD]
        if cage:
            check_editable(cage)
            Exchange([cage]).save(f"{self.folder}/cage.glb")
            words += ["--cage", f"{self.folder}/cage.glb"]
        else:
            words += ["--auto", "--controls", settings.cage_controls]
        report = yield words
        coordinates = Coordinates(f"{self.folder}/caged.glb")
        if cage is None:
            cage = add_cage(context, items[0], coordinates)
        armature = add_controls(context, cage, coordinates)
        for start, shape in zip(exchange.starts, exchange.shapes):
            write_groups(shape.item, coordinates, start, shape.count)
            remove_modifiers(shape.item)
            modifier = shape.item.modifiers.new("Cage", "ARMATURE")
            modifier.object = armature
        return (f"{cage.name} with {report['controls']} control points deforms {exchange.starts[-1]:,} vertices"
                + (f", {report['outside']} of them outside" if report["outside"] else "") + f"; bound in {report['seconds']:.1f} s. "
                "Move the vertices of the cage in Edit Mode, or by shape keys and modifiers.")


class Coordinates:
    """Of every vertex in the control points of the cage, as the file has them."""

    def __init__(self, path):
        file = Reader(path)
        arrays = file.document["extensions"]["SINEW_rig"]["cages"][0]["accessors"]
        self.positions = file.array(arrays["positions"]).astype(float) @ TO_GLTF[:3, :3]  # Blender's axes
        self.sizes, self.corners, self.counts, self.controls = (
            file.array(arrays[name])[:, 0].astype(int) for name in ("sizes", "corners", "rowCounts", "rowControls"))
        self.weights, self.masks = file.array(arrays["rowWeights"])[:, 0], file.array(arrays["masks"])[:, 0]
        self.starts = np.concatenate([[0], np.cumsum(self.counts)])


def add_cage(context, item, coordinates):
    mesh = bpy.data.meshes.new("Cage")
    ends = np.cumsum(coordinates.sizes)
    faces = [coordinates.corners[end - size:end].tolist() for end, size in zip(ends, coordinates.sizes)]
    mesh.from_pydata(coordinates.positions.tolist(), [], faces)
    mesh.update()
    cage = bpy.data.objects.new("Cage", mesh)
    (item.users_collection[0] if item.users_collection else context.collection).objects.link(cage)
    cage.display_type = "WIRE"
    cage.hide_render = True
    return cage


def matched(cage, coordinates):
    """The vertex of the cage that each control point is."""
    mesh = cage.data
    points = np.empty(3 * len(mesh.vertices), np.float32)
    (mesh.shape_keys.reference_key.data if mesh.shape_keys else mesh.vertices).foreach_get("co", points)
    matrix = np.array(cage.matrix_world)
    world = points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    found = [int(np.argmin(((world - p) ** 2).sum(axis=1))) for p in coordinates.positions]
    return found


def add_controls(context, cage, coordinates):
    """An armature with a bone for each control point, which stays at that vertex of the cage."""
    name = f"{cage.name} Controls"
    old = bpy.data.objects.get(name)
    if old and old.type == "ARMATURE":
        bpy.data.armatures.remove(old.data)
    for group in [group for group in cage.vertex_groups if group.name.startswith(PREFIX)]:
        cage.vertex_groups.remove(group)
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    (cage.users_collection[0] if cage.users_collection else context.collection).objects.link(armature)
    selected, active = list(context.selected_objects), context.view_layer.objects.active
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    length = 0.02 * float(np.linalg.norm(np.ptp(coordinates.positions, axis=0)))
    for number, place in enumerate([*coordinates.positions.tolist(), coordinates.positions[0].tolist()]):
        bone = data.edit_bones.new(control_name(number) if number < len(coordinates.positions) else STILL)
        bone.tail = (0, length, 0)
        bone.matrix = Matrix.Translation(place)
    bpy.ops.object.mode_set(mode="OBJECT")
    for number, vertex in enumerate(matched(cage, coordinates)):
        group = cage.vertex_groups.new(name=control_name(number))
        group.add((vertex,), 1, "REPLACE")
        constraint = armature.pose.bones[control_name(number)].constraints.new("COPY_LOCATION")
        constraint.target, constraint.subtarget = cage, group.name
    armature.hide_set(True)
    context.view_layer.objects.active = active
    for item in selected:
        item.select_set(True)
    return armature


def control_name(number):
    return f"{PREFIX}{number:03}"


def remove_modifiers(item):
    for modifier in [m for m in item.modifiers if m.type == "ARMATURE" and m.object is None or m.name == "Cage"]:
        item.modifiers.remove(modifier)


def write_groups(item, coordinates, start, count):
    for group in [group for group in item.vertex_groups if group.name.startswith(PREFIX)]:
        item.vertex_groups.remove(group)
    first, last = coordinates.starts[start], coordinates.starts[start + count]
    controls = coordinates.controls[first:last]
    masks = coordinates.masks[start:start + count]
    vertices = np.repeat(np.arange(count), coordinates.counts[start:start + count])
    weights = coordinates.weights[first:last] * masks[vertices]
    used = np.unique(controls)
    index = np.full(len(coordinates.positions), -1)
    for number in used.tolist():
        index[number] = item.vertex_groups.new(name=control_name(number)).index
    assign(item, vertices, index[controls], weights)
    beyond = np.flatnonzero(masks < 1)
    if len(beyond):
        still = item.vertex_groups.new(name=STILL)
        assign(item, beyond, np.full(len(beyond), still.index), 1 - masks[beyond])


CLASSES = [SINEW_OT_cage_bind]
