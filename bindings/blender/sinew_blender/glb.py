# SPDX-License-Identifier: Apache-2.0
"""Reads and writes .glb files, as much of them as the exchange with the program needs. No bpy in here."""
import json
import struct

import numpy as np

KINDS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942


class Writer:
    """A document in the making; `document` is its JSON."""

    def __init__(self):
        self.document = {"asset": {"version": "2.0", "generator": "sinew for Blender"}, "scene": 0,
                         "scenes": [{"nodes": []}], "nodes": [], "meshes": [], "accessors": [], "bufferViews": []}
        self.chunks, self.size = [], 0

    def accessor(self, values, kind, component=5126, bounds=False):
        """Adds an array and returns the number of its accessor."""
        data = np.ascontiguousarray(values, KINDS[component])
        raw = data.tobytes()
        raw += b"\0" * (-len(raw) % 4)
        document = self.document
        document["bufferViews"].append({"buffer": 0, "byteOffset": self.size, "byteLength": len(raw)})
        entry = {"bufferView": len(document["bufferViews"]) - 1, "componentType": component, "type": kind,
                 "count": data.size // WIDTHS[kind]}
        if bounds:
            rows = data.reshape(-1, WIDTHS[kind])
            entry["min"], entry["max"] = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        document["accessors"].append(entry)
        self.chunks.append(raw)
        self.size += len(raw)
        return len(document["accessors"]) - 1

    def node(self, **fields):
        self.document["nodes"].append(fields)
        return len(self.document["nodes"]) - 1

    def save(self, path):
        self.document["buffers"] = [{"byteLength": self.size}]
        text = json.dumps(self.document).encode()
        text += b" " * (-len(text) % 4)
        binary = b"".join(self.chunks)
        with open(path, "wb") as file:
            file.write(struct.pack("<3I", MAGIC, 2, 28 + len(text) + len(binary)))
            file.write(struct.pack("<2I", len(text), JSON_CHUNK) + text)
            file.write(struct.pack("<2I", len(binary), BINARY_CHUNK) + binary)


class Reader:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        length = struct.unpack_from("<I", data, 12)[0]
        self.document = json.loads(data[20:20 + length])
        self.binary = memoryview(data)[28 + length:]
        self.nodes = self.document.get("nodes", [])

    def array(self, number):
        """An accessor as floats or whole numbers, a row for each element."""
        accessor = self.document["accessors"][number]
        kind, width = np.dtype(KINDS[accessor["componentType"]]), WIDTHS[accessor["type"]]
        count = accessor["count"]
        if "bufferView" not in accessor:
            return np.zeros((count, width))
        view = self.document["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", kind.itemsize * width)
        values = np.ndarray((count, width), kind, self.binary, start, (stride, kind.itemsize)).copy()
        if accessor.get("normalized"):
            return values / np.iinfo(kind).max
        return values

    def weights(self, node):
        """Of a mesh node: joint nodes (n x k) and weights (n x k)."""
        joints = np.array(self.document["skins"][self.nodes[node]["skin"]]["joints"])
        primitive, = self.document["meshes"][self.nodes[node]["mesh"]]["primitives"]
        attributes = primitive["attributes"]
        sets = sum(name.startswith("JOINTS_") for name in attributes)
        slots = np.hstack([self.array(attributes[f"JOINTS_{k}"]) for k in range(sets)])
        return joints[slots.astype(int)], np.hstack([self.array(attributes[f"WEIGHTS_{k}"]) for k in range(sets)])

    def global_matrices(self):
        """4 x 4 of every node."""
        found = {}
        parents = {child: n for n, node in enumerate(self.nodes) for child in node.get("children", [])}

        def of(number):
            if number not in found:
                local = local_matrix(self.nodes[number])
                found[number] = of(parents[number]) @ local if number in parents else local
            return found[number]
        return [of(number) for number in range(len(self.nodes))], parents


def rotation_matrix(quaternion):
    """Of x, y, z, w; arrays of them too."""
    x, y, z, w = np.moveaxis(np.asarray(quaternion, float), -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def local_matrix(node):
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    matrix = np.eye(4)
    matrix[:3, :3] = rotation_matrix(node.get("rotation", [0, 0, 0, 1])) * np.array(node.get("scale", [1, 1, 1]), float)
    matrix[:3, 3] = node.get("translation", [0, 0, 0])
    return matrix
