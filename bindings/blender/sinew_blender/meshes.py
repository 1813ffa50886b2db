# SPDX-License-Identifier: Apache-2.0
"""Mesh objects as arrays: the shape that is bound, its polygons, and its vertex groups."""
import bmesh
import numpy as np

from .program import Failed


def rest_positions(item):
    """n x 3, object space: the basis where there are shape keys."""
    keys = item.data.shape_keys
    source = keys.reference_key.data if keys else item.data.vertices
    flat = np.empty(3 * len(item.data.vertices), np.float32)
    source.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(float)


def polygons_of(mesh):
    """Corners of every polygon after each other, and how many each has."""
    corners, sizes = np.empty(len(mesh.loops), np.int32), np.empty(len(mesh.polygons), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    mesh.polygons.foreach_get("loop_total", sizes)
    return corners, sizes


def triangles_of(mesh):
    """n - 2 triangles for each polygon of n corners, in its order."""
    mesh.calc_loop_triangles()
    flat = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", flat)
    order = np.empty(len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("polygon_index", order)
    return flat.reshape(-1, 3)[np.argsort(order, kind="stable")]


def mirrors_of(item):
    return [m for m in item.modifiers if m.type == "MIRROR" and m.show_viewport]


class Shape:
    """What the program sees of an object. The first `count` vertices are the object's own; a Mirror modifier adds more."""

    def __init__(self, item):
        self.item, self.count = item, len(item.data.vertices)
        if self.count == 0 or not item.data.polygons:
            raise Failed(f"{item.name} has no faces.")
        self.positions = rest_positions(item)
        self.corners, self.sizes = polygons_of(item.data)
        self.triangles = triangles_of(item.data)
        for modifier in mirrors_of(item):
            self.mirror(modifier)

    def mirror(self, modifier):
        """As the modifier does it: a copy behind what there is, vertices on the plane shared."""
        if any(modifier.use_bisect_axis):
            raise Failed(f"The Mirror modifier of {self.item.name} bisects the mesh. Apply it first.")
        frame = np.eye(4)
        if modifier.mirror_object:
            frame = np.array(modifier.mirror_object.matrix_world.inverted() @ self.item.matrix_world)
        back = np.linalg.inv(frame)
        for axis in (k for k in range(3) if modifier.use_axis[k]):
            flip = np.diag([-1.0 if k == axis else 1.0 for k in range(3)] + [1.0])
            map_ = back @ flip @ frame
            copy = self.positions @ map_[:3, :3].T + map_[:3, 3]
            apart = np.linalg.norm(copy - self.positions, axis=1)
            own = apart > (modifier.merge_threshold if modifier.use_mirror_merge else -1)
            target = np.where(own, len(self.positions) + np.cumsum(own) - 1, np.arange(len(self.positions)))
            self.positions = np.vstack([self.positions, copy[own]])
            self.triangles = np.vstack([self.triangles, target[self.triangles[:, ::-1]]])
            self.corners = np.concatenate([self.corners, reverse_each(target[self.corners], self.sizes)])
            self.sizes = np.concatenate([self.sizes, self.sizes])


def reverse_each(corners, sizes):
    ends = np.cumsum(sizes)
    starts = ends - sizes
    within = np.arange(len(corners)) - np.repeat(starts, sizes)
    return corners[np.repeat(ends, sizes) - 1 - within]


def group_weights(item, bones):
    """n x k slots (places in `bones`, names) and weights, normalised as the Armature modifier does; 0 where there are none."""
    place = {name: k for k, name in enumerate(bones)}
    columns = [place.get(group.name, -1) for group in item.vertex_groups]
    rows = [[(columns[entry.group], entry.weight) for entry in vertex.groups
             if entry.weight > 0 and columns[entry.group] >= 0] for vertex in item.data.vertices]
    width = max([4] + [len(row) for row in rows])
    slots, weights = np.zeros((len(rows), width), int), np.zeros((len(rows), width))
    for number, row in enumerate(rows):
        for k, (slot, weight) in enumerate(row):
            slots[number, k], weights[number, k] = slot, weight
    sums = weights.sum(axis=1, keepdims=True)
    return slots, np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)


def set_group_weights(item, bones, slots, weights, vertices=None):
    """Writes weights into the groups of these bones: locked groups, groups of other uses and vertices that are not listed stay."""
    groups = {group.name: group for group in item.vertex_groups}
    weights = weights * sums_of(item, bones, groups)[:, None]
    chosen = np.arange(len(slots)) if vertices is None else np.asarray(vertices)
    used = np.unique(slots[chosen][weights[chosen] > 0])
    target = np.full(len(bones), -1)  # the group of each slot; none for those that are locked or not needed
    for slot, name in enumerate(bones):
        group = groups.get(name)
        if group is None and slot in used:
            group = item.vertex_groups.new(name=name)
        if group is not None and not group.lock_weight:
            target[slot] = group.index
    rows, columns = np.nonzero((weights[chosen] > 0) & (target[slots[chosen]] >= 0))
    assign(item, chosen[rows], target[slots[chosen][rows, columns]], weights[chosen][rows, columns],
           clear=(chosen, target[target >= 0]))


def sums_of(item, bones, groups):
    """What rows have to sum to: 1; with weights in locked groups, what they sum to now, so that those keep their share
    (Blender cuts weights off at 1)."""
    sums = np.ones(len(item.data.vertices))
    ours = {groups[name].index for name in bones if name in groups}
    locked = {groups[name].index for name in bones if name in groups and groups[name].lock_weight}
    for vertex in item.data.vertices if locked else []:
        if any(entry.group in locked and entry.weight > 0 for entry in vertex.groups):
            sums[vertex.index] = sum(entry.weight for entry in vertex.groups if entry.group in ours)
    return sums


def assign(item, vertices, groups, weights, clear=None):
    """Sets the weights of vertices in groups, by index. clear: (vertices, groups) that lose theirs first."""
    if item.data.shape_keys:
        assign_slowly(item, vertices, groups, weights, clear)
        return
    edited = bmesh.new()  # thirteen times as fast as VertexGroup.add
    edited.from_mesh(item.data)
    layer = edited.verts.layers.deform.verify()
    edited.verts.ensure_lookup_table()
    if clear:
        unwanted = set(clear[1].tolist())
        for vertex in clear[0].tolist():
            entries = edited.verts[vertex][layer]
            for group in unwanted.intersection(entries.keys()):
                del entries[group]
    for vertex, group, weight in zip(vertices.tolist(), groups.tolist(), weights.tolist()):
        edited.verts[vertex][layer][group] = weight
    edited.to_mesh(item.data)
    edited.free()


def assign_slowly(item, vertices, groups, weights, clear):
    """The same without touching shape keys."""
    for group in clear[1].tolist() if clear else []:
        item.vertex_groups[group].remove(clear[0].tolist())
    for vertex, group, weight in zip(vertices.tolist(), groups.tolist(), weights.tolist()):
        item.vertex_groups[group].add((vertex,), weight, "REPLACE")
