# SPDX-License-Identifier: Apache-2.0
"""Blender's objects as a .glb for the program, and back.

The armature's own space is what the Armature modifier deforms in, so it is what the program gets, turned as the armature
stands in the world and with y up. Scale, units and negative scale of objects never reach it.
"""
import numpy as np
from mathutils import Matrix

from .glb import Reader, Writer
from .meshes import Shape, group_weights, reverse_each
from .program import Failed

TO_GLTF = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], float)  # z up to y up
LISTED = 0xFFFFFFFF  # SINEW_rig: the corners of this polygon are listed


def space_of(armature):
    """From the armature's space to that of the file: a rotation."""
    if armature is None:
        return TO_GLTF
    return TO_GLTF @ np.array(armature.matrix_world.to_quaternion().to_matrix().to_4x4())


class Exchange:
    """Meshes, and the armature that they are bound to or None, in one file. Files and objects by the same numbers:
    `bones` are names in the order of joints, `shapes` meshes in that of nodes."""

    def __init__(self, items, armature=None):
        self.armature, self.space = armature, space_of(armature)
        self.shapes = [Shape(item) for item in items]
        base = armature.matrix_world.inverted_safe() if armature else Matrix.Identity(4)
        self.to_file = [self.space @ np.array(base @ item.matrix_world) for item in items]
        for item, matrix in zip(items, self.to_file):
            if abs(np.linalg.det(matrix[:3, :3])) < 1e-18:
                raise Failed(f"{item.name} or its armature is scaled to nothing.")
        self.positions = [shape.positions @ matrix[:3, :3].T + matrix[:3, 3]
                          for shape, matrix in zip(self.shapes, self.to_file)]
        self.starts = np.cumsum([0] + [len(p) for p in self.positions])  # first vertex of each mesh in the rig
        everything = np.vstack(self.positions) if items else np.zeros((1, 3))
        if not np.isfinite(everything).all():
            raise Failed("The mesh has coordinates that are not numbers.")
        self.size = float(np.linalg.norm(np.ptp(everything, axis=0)))
        self.bones, self.parents, self.rest = [], [], np.zeros((0, 4, 4))
        if armature:
            self.read_bones()

    def read_bones(self):
        """Those that deform come first: they are the joints of the skin."""
        listed = sorted(self.armature.data.bones, key=lambda bone: not bone.use_deform)
        self.deforming = sum(bone.use_deform for bone in listed)
        if self.deforming == 0:
            raise Failed(f"No bone of {self.armature.name} deforms. Tick Deform in the properties of its bones.")
        self.bones = [bone.name for bone in listed]
        place = {name: k for k, name in enumerate(self.bones)}
        self.parents = [place[bone.parent.name] if bone.parent else -1 for bone in listed]
        self.lengths = [bone.length for bone in listed]
        self.rest = np.array([self.space @ np.array(bone.matrix_local) for bone in listed])

    def order(self):
        """Bones, parents before children."""
        done, order = set(), []

        def visit(bone):
            if bone not in done:
                if self.parents[bone] >= 0:
                    visit(self.parents[bone])
                done.add(bone)
                order.append(bone)
        for bone in range(len(self.bones)):
            visit(bone)
        return order

    def local_rest(self):
        return np.array([np.linalg.inv(self.rest[p]) @ m if p >= 0 else m for m, p in zip(self.rest, self.parents)])

    def save(self, path, weighted=True, clip=None):
        """weighted: with the vertex groups. clip: rotations (frames x bones x 4, x y z w) of a clip, a second a frame."""
        writer = Writer()
        document, scene = writer.document, writer.document["scenes"][0]["nodes"]
        document["extensionsUsed"] = ["SINEW_rig"]
        for name, length, matrix in zip(self.bones, self.lengths if self.bones else [], self.local_rest()):
            rotation = Matrix(matrix[:3, :3].tolist()).to_quaternion()
            writer.node(name=name, translation=matrix[:3, 3].tolist(),
                        rotation=[rotation.x, rotation.y, rotation.z, rotation.w],
                        extensions={"SINEW_rig": {"tail": [0, length, 0]}})
        for bone, parent in enumerate(self.parents):
            if parent >= 0:
                document["nodes"][parent].setdefault("children", []).append(bone)
            else:
                scene.append(bone)
        if self.bones:
            inverse = np.linalg.inv(self.rest[:self.deforming]).transpose(0, 2, 1)
            document["skins"] = [{"joints": list(range(self.deforming)),
                                  "inverseBindMatrices": writer.accessor(inverse, "MAT4")}]
        for number in range(len(self.shapes)):
            scene.append(self.add_mesh(writer, number, weighted))
        if clip is not None:
            document["animations"] = [self.animation(writer, clip)]
        writer.save(path)

    def add_mesh(self, writer, number, weighted):
        shape, document = self.shapes[number], writer.document
        triangles, corners = shape.triangles, shape.corners
        if np.linalg.det(self.to_file[number][:3, :3]) < 0:  # negative scale turns faces inside out
            triangles = triangles[:, ::-1]
            corners = reverse_each(corners, shape.sizes)
        primitive = {"attributes": {"POSITION": writer.accessor(self.positions[number], "VEC3", bounds=True)},
                     "indices": writer.accessor(triangles, "SCALAR", 5125)}
        if (shape.sizes > 3).any():
            listed = np.repeat(shape.sizes > 3, shape.sizes)
            starts = np.where(shape.sizes > 3, LISTED, 0)
            primitive["extensions"] = {"SINEW_rig": {"polygons": {
                "sizes": writer.accessor(shape.sizes, "SCALAR", 5125),
                "starts": writer.accessor(starts, "SCALAR", 5125),
                "corners": writer.accessor(corners[listed], "SCALAR", 5125)}}}
        fields = {"name": shape.item.name, "mesh": len(document["meshes"])}
        if self.bones and weighted:
            self.add_weights(writer, shape, primitive["attributes"])
            fields["skin"] = 0
        document["meshes"].append({"name": shape.item.name, "primitives": [primitive]})
        return writer.node(**fields)

    def add_weights(self, writer, shape, attributes):
        slots, weights = group_weights(shape.item, self.bones[:self.deforming])
        more = len(shape.positions) - len(slots)  # what a Mirror modifier adds has no weights yet
        width = -(-slots.shape[1] // 4) * 4
        slots = np.pad(slots, ((0, more), (0, width - slots.shape[1])))
        weights = np.pad(weights, ((0, more), (0, width - weights.shape[1])))
        for k in range(width // 4):
            part = slice(4 * k, 4 * k + 4)
            attributes[f"JOINTS_{k}"] = writer.accessor(slots[:, part], "VEC4", 5123)
            attributes[f"WEIGHTS_{k}"] = writer.accessor(weights[:, part], "VEC4")

    def animation(self, writer, clip):
        """Rotations relative to the rest pose, in each bone's own axes, become those of nodes."""
        times = writer.accessor(np.arange(len(clip), dtype=float), "SCALAR", bounds=True)
        samplers, channels = [], []
        for bone, node in enumerate(writer.document["nodes"][:len(self.bones)]):
            if (np.abs(clip[:, bone, :3]) < 1e-9).all():
                continue
            channels.append({"sampler": len(samplers), "target": {"node": bone, "path": "rotation"}})
            samplers.append({"input": times, "interpolation": "LINEAR",
                             "output": writer.accessor(multiply(node["rotation"], clip[:, bone]), "VEC4")})
        return {"name": "samples", "samplers": samplers, "channels": channels}

    def read_weights(self, path):
        """(slots, weights) of every mesh as the file has them, own vertices only; slots are places in `bones`."""
        file = Reader(path)
        place = {name: k for k, name in enumerate(self.bones)}
        slot_of = np.array([place.get(node.get("name"), -1) for node in file.nodes])
        nodes = [n for n, node in enumerate(file.nodes) if "mesh" in node]
        if len(nodes) != len(self.shapes):
            raise Failed("The program gave back another number of meshes.")
        found = []
        for node, shape in zip(nodes, self.shapes):
            joints, weights = file.weights(node)
            if len(joints) != len(shape.positions):
                raise Failed(f"The program gave back another number of vertices for {shape.item.name}.")
            found.append((slot_of[joints][:shape.count], weights[:shape.count].astype(float)))
        return found


def multiply(a, b):
    """Products of quaternions x, y, z, w."""
    a, b = np.broadcast_arrays(np.asarray(a, float), np.asarray(b, float))
    (ax, ay, az, aw), (bx, by, bz, bw) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
                     aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz], axis=-1)
