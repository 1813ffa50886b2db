#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`export` from outside: what it writes is played by a reader of glTF of its own, without any extension.

usage: export_test.py PROGRAM SOURCE [unittest arguments]
"""
import json
import math
import os
import shutil
import struct
import unittest

from program import SANITIZED, SOURCE, ProgramTest, edit_glb

DATA = os.environ.get("SINEW_DATA", os.path.join(SOURCE, "..", "shared", "data"))
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
KINDS = {5120: ("b", 127), 5121: ("B", 255), 5122: ("h", 32767), 5123: ("H", 65535), 5125: ("I", 1), 5126: ("f", 1)}


def times(a, b):
    return [[sum(a[r][k] * b[k][c] for k in range(4)) for c in range(4)] for r in range(4)]


class Player:
    """Clips, morph targets and linear blend skinning, as glTF 2.0 says."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        length = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20:20 + length])
        self.data = data[28 + length:]
        self.parent = {c: i for i, n in enumerate(self.json["nodes"]) for c in n.get("children", [])}
        self.cache = {}

    def view(self, index, offset, kind, width, count, normalized=False):
        view = self.json["bufferViews"][index]
        letter, most = KINDS[kind]
        stride = view.get("byteStride") or width * struct.calcsize(letter)
        at = view.get("byteOffset", 0) + offset
        rows = [struct.unpack_from("<%d%s" % (width, letter), self.data, at + r * stride) for r in range(count)]
        return [[x / most for x in row] for row in rows] if normalized else [list(row) for row in rows]

    def read(self, index):
        if index in self.cache:
            return self.cache[index]
        a = self.json["accessors"][index]
        width = WIDTHS[a["type"]]
        rows = [[0.0] * width for _ in range(a["count"])]
        if "bufferView" in a:
            rows = self.view(a["bufferView"], a.get("byteOffset", 0), a["componentType"], width, a["count"], a.get("normalized"))
        if "sparse" in a:
            s = a["sparse"]
            places = self.view(s["indices"]["bufferView"], s["indices"].get("byteOffset", 0), s["indices"]["componentType"], 1, s["count"])
            values = self.view(s["values"]["bufferView"], s["values"].get("byteOffset", 0), a["componentType"], width, s["count"])
            for (place,), value in zip(places, values):
                rows[place] = value
        self.cache[index] = rows
        return rows

    def sample(self, clip, time):
        """(node, path) -> value"""
        out = {}
        for channel in clip["channels"]:
            sampler = clip["samplers"][channel["sampler"]]
            keys = [t[0] for t in self.read(sampler["input"])]
            values, path = self.read(sampler["output"]), channel["target"]["path"]
            if path == "weights":
                many = len(values) // len(keys)
                values = [[v[0] for v in values[k * many:(k + 1) * many]] for k in range(len(keys))]
            k = max([0] + [i for i, t in enumerate(keys) if t <= time])
            k = min(k, len(keys) - 1)
            value = values[k]
            if k + 1 < len(keys) and time > keys[0]:
                u, a, b = (time - keys[k]) / (keys[k + 1] - keys[k]), values[k], values[k + 1]
                p, q = 1 - u, u
                if path == "rotation":
                    cosine = sum(x * y for x, y in zip(a, b))
                    if cosine < 0:
                        b, cosine = [-x for x in b], -cosine
                    angle = math.acos(min(1, cosine))
                    if angle > 1e-6:
                        p, q = math.sin((1 - u) * angle) / math.sin(angle), math.sin(u * angle) / math.sin(angle)
                value = [p * x + q * y for x, y in zip(a, b)]
            out[channel["target"]["node"], path] = value
        return out

    def local(self, i, moved):
        node = self.json["nodes"][i]
        if "matrix" in node and not any((i, p) in moved for p in ("translation", "rotation", "scale")):
            return [[node["matrix"][4 * c + r] for c in range(4)] for r in range(4)]
        t = moved.get((i, "translation"), node.get("translation", [0, 0, 0]))
        x, y, z, w = moved.get((i, "rotation"), node.get("rotation", [0, 0, 0, 1]))
        s = moved.get((i, "scale"), node.get("scale", [1, 1, 1]))
        n = math.sqrt(x * x + y * y + z * z + w * w)
        x, y, z, w = x / n, y / n, z / n, w / n
        R = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
             [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
             [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
        return [[R[r][c] * s[c] for c in range(3)] + [t[r]] for r in range(3)] + [[0, 0, 0, 1]]

    def world(self, i, moved, known):
        if i not in known:
            own = self.local(i, moved)
            known[i] = times(self.world(self.parent[i], moved, known), own) if i in self.parent else own
        return known[i]

    def vertices(self, clip=None, time=0):
        moved = self.sample(self.json["animations"][clip], time) if clip is not None else {}
        known, out = {}, []
        for i, node in enumerate(self.json["nodes"]):
            if "mesh" not in node:
                continue
            mesh = self.json["meshes"][node["mesh"]]
            weights = moved.get((i, "weights")) or node.get("weights") or mesh.get("weights") or []
            for primitive in mesh["primitives"]:
                points = [list(p) for p in self.read(primitive["attributes"]["POSITION"])]
                for w, target in zip(weights, primitive.get("targets", [])):
                    if w and "POSITION" in target:
                        for p, d in zip(points, self.read(target["POSITION"])):
                            for c in range(3):
                                p[c] += w * d[c]
                if "skin" in node:
                    skin = self.json["skins"][node["skin"]]
                    binds = self.read(skin["inverseBindMatrices"])
                    M = [times(self.world(j, moved, known), [[b[4 * c + r] for c in range(4)] for r in range(4)])
                         for j, b in zip(skin["joints"], binds)]
                    blended = [[0.0] * 3 for _ in points]
                    for s in range(4):
                        if "JOINTS_%d" % s not in primitive["attributes"]:
                            continue
                        joints = self.read(primitive["attributes"]["JOINTS_%d" % s])
                        shares = self.read(primitive["attributes"]["WEIGHTS_%d" % s])
                        for p, o, row, ws in zip(points, blended, joints, shares):
                            for j, w in zip(row, ws):
                                if w:
                                    m = M[j]
                                    for r in range(3):
                                        o[r] += w * (m[r][0] * p[0] + m[r][1] * p[1] + m[r][2] * p[2] + m[r][3])
                    out += blended
                else:
                    m = self.world(i, moved, known)
                    out += [[m[r][0] * p[0] + m[r][1] * p[1] + m[r][2] * p[2] + m[r][3] for r in range(3)] for p in points]
        return out


def diagonal(points):
    return math.dist([min(p[c] for p in points) for c in range(3)], [max(p[c] for p in points) for c in range(3)])


def far(a, b):
    """Distances, rising."""
    return sorted(math.dist(x, y) for x, y in zip(a, b))


class Export(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.arm = cls.make("arm.glb", "arm", "--resolution", 700)
        cls.deform = ["--deformer", "swing-twist", "--reference", 0, "--no-check"]

    def posed(self, file, time, deformer, clip=0):
        out = self.path("posed.obj")
        self.call("pose", file, "--clip", clip, "--time", "%.6f" % time, "--deformer", deformer, "-o", out, "--force")
        return self.vertices(out)

    def test_a_plain_player_shows_the_deformer_within_the_certificate(self):
        out = self.path("out.glb")
        graded = [word for word in self.deform if word != "--no-check"]
        said = self.document("export", self.arm, "--for", "web", "-o", out, *graded)
        player = Player(out)
        self.assertNotIn("extensionsRequired", player.json)
        for mesh in player.json["meshes"]:
            for primitive in mesh["primitives"]:
                self.assertNotIn("JOINTS_1", primitive["attributes"])
        for clip in range(2):
            worst, before = 0, 0
            for k in range(4):
                time = 0.37 + 0.41 * k
                wanted = self.posed(self.arm, time, "swing-twist", clip)
                size = diagonal(wanted)
                worst = max(worst, far(wanted, player.vertices(clip, time))[int(0.999 * len(wanted))] / size)
                before = max(before, far(wanted, self.posed(self.arm, time, "lbs", clip))[int(0.999 * len(wanted))] / size)
            self.assertLess(worst, 0.003)
            self.assertLess(worst, max(0.4 * before, 0.001))  # a bend is 0.06 % off by linear blending
            self.assertLess(worst, 2 * said["clips"]["max"] + 1e-6)
        self.assertLess(said["clips"]["p999"], 0.003)
        self.assertLess(said["p999"], 0.5 * said["plain"]["held_out"]["p999"])
        for figure in ("rms", "p999", "max"):  # where nobody runs the drivers, no worse than the rig's own weights
            self.assertLess(said["idle"][figure], 1.02 * said["plain"]["held_out"][figure], figure)
        self.assertEqual(player.json["extras"]["sinew_export"]["helpers"], said["helpers"])
        self.assertEqual(said["bytes"], os.path.getsize(out))
        self.assertIsNone(said["elastic_rms"])  # was not asked for
        grade = lambda file: self.document("check", file)["grade"]
        self.assertEqual((said["plain"]["grade"], said["grade"]), (grade(self.arm), grade(out)))
        said = self.document("export", self.arm, "-o", out, "--force", *self.deform)
        self.assertEqual((said["plain"]["grade"], said["grade"]), (None, None))

    def test_the_program_plays_what_it_wrote_as_others_do(self):
        out = self.path("out.glb")
        self.call("export", self.arm, "-o", out, *self.deform)
        mine, other = self.posed(out, 0.8, "lbs"), Player(out).vertices(0, 0.8)
        self.assertLess(far(mine, other)[-1], 2e-6)

    def test_the_rest_pose_stays(self):
        out = self.path("out.glb")
        self.call("export", self.arm, "-o", out, *self.deform)
        self.assertLess(far(Player(out).vertices(), Player(self.arm).vertices())[-1], 1e-5)

    def test_more_helpers_never_raise_the_error_of_the_fit(self):
        ends = []
        for helpers in (0, 2, 4):
            said = self.document("export", self.arm, "-o", self.path("%d.glb" % helpers), "--helpers", helpers, "--morphs", 0, *self.deform)
            errors = said["fit"]["helpers"]
            self.assertEqual(len(errors), said["helpers"] + 1)
            self.assertLessEqual(said["helpers"], helpers)
            self.assertEqual(errors, sorted(errors, reverse=True))
            ends.append(errors)
        self.assertEqual(ends[1], ends[2][:len(ends[1])])  # each count starts from the one before
        self.assertLess(ends[2][-1], 0.7 * ends[0][0])

    def test_tolerance_takes_the_fewest(self):
        loose = self.document("export", self.arm, "-o", self.path("a.glb"), "--tolerance", 0.05, *self.deform)
        tight = self.document("export", self.arm, "-o", self.path("b.glb"), "--tolerance", 0.004, *self.deform)
        self.assertEqual((loose["helpers"], loose["morphs"]), (0, 0))
        self.assertGreater(tight["helpers"] + tight["morphs"], 0)
        self.assertLess(tight["clips"]["p999"], 0.0045)

    def test_eight_influences_are_eight(self):
        said = self.document("export", self.arm, "-o", self.path("o.glb"), "--influences", 8, "--helpers", 8, *self.deform)
        self.assertLessEqual(said["influences"], 8)
        self.assertGreater(said["influences"], 4)

    def test_any_number_of_threads_gives_the_same_bytes(self):
        files = []
        for threads in (1, 3):
            files.append(self.path("%d.glb" % threads))
            self.call("export", self.arm, "-o", files[-1], "--threads", threads, "--helpers", 6, "--morphs", 4, *self.deform)
        read = []
        for file in files:
            with open(file, "rb") as f:
                read.append(f.read())
        self.assertEqual(*read)

    def test_every_deformer_can_be_baked(self):
        for deformer in ("dqs", "curve", "stretch-lbs", "volume", "lbs+mush", "joint-dqs"):
            with self.subTest(deformer):
                said = self.document("export", self.arm, "-o", self.path("%s.glb" % deformer), "--deformer", deformer,
                                     "--reference", 0, "--helpers", 6, "--morphs", 4)
                self.assertLessEqual(said["p999"], said["plain"]["held_out"]["p999"] + 1e-4)

    def test_sinew_itself_reads_helpers_as_no_bones(self):
        out = self.path("out.glb")
        said = self.document("export", self.arm, "-o", out, *self.deform)
        self.assertGreater(said["helpers"], 0)
        before, after = self.document("info", self.arm), self.document("info", out)
        self.assertEqual(before["joint_names"], after["joint_names"])
        again = self.path("again.glb")  # and exports it once more, as it is
        twice = self.document("export", out, "-o", again, "--helpers", 0, "--morphs", 0, "--reference", 0, "--no-check")
        self.assertLess(twice["clips"]["max"], 1e-5)

    def test_a_pose_that_no_clip_holds_is_led_by_drivers(self):
        out, idle = self.path("out.glb"), self.path("idle.glb")
        said = self.document("export", self.arm, "-o", out, *self.deform)
        edit_glb(out, idle, lambda d: d["extensions"]["SINEW_rig"].pop("drivers"))

        def posed(file, deformer, *turns):
            shape = self.path("shape.obj")
            self.call("pose", file, *[x for t in turns for x in ("--set", t)], "--deformer", deformer, "-o", shape, "--force")
            return self.vertices(shape)
        for turns in (["ForeArm=bend:70,twist:60"], ["ForeArm=bend:-40,twist:-80"], ["ForeArm=twist:75"]):
            wanted = posed(self.arm, "swing-twist", *turns)
            size = diagonal(wanted)
            driven, left, plain = (far(wanted, posed(f, "lbs", *turns))[int(0.999 * len(wanted))] / size for f in (out, idle, self.arm))
            self.assertLess(driven, said["max"])
            self.assertLess(driven, 0.75 * plain)
            self.assertLess(driven, 0.5 * left)

    def test_the_certificate_is_a_page_with_pictures(self):
        page = self.path("page")
        said = self.document("export", self.arm, "-o", self.path("out.glb"), "--page", page, "--helpers", 4, "--morphs", 4, *self.deform)
        with open(os.path.join(page, "index.html")) as f:
            html = f.read()
        for picture in ("error.png", "pose0.png", "pose1.png", "pose2.png", "pose3.png"):
            self.assertIn('src="%s"' % picture, html)
            self.assertGreater(os.path.getsize(os.path.join(page, picture)), 2000)
        for figures in (said["clips"], said["plain"]["held_out"], said["idle"]):
            self.assertIn("<td>%.3f %%</td><td>%.3f %%</td><td>%.3f %%</td>" % tuple(100 * figures[k] for k in ("rms", "p999", "max")), html)
        counts = [point["morphs"] for point in said["fit"]["morphs"]]
        self.assertEqual(counts, sorted(set(counts)))
        self.assertEqual((counts[0], counts[-1]), (0, said["morphs"]))
        self.call("export", self.arm, "-o", self.path("more.glb"), "--page", page, *self.deform, code=5)
        self.assertFalse(os.path.exists(self.path("more.glb")))

    def test_kept_data_still_deform(self):
        out = self.path("out.glb")
        rigged = self.path("rigged.glb")
        self.call("weights", self.arm, "--method", "heat", "-o", rigged)
        self.call("export", rigged, "-o", out, "--keep", "--helpers", 4, "--morphs", 2, *self.deform)
        self.call("pose", out, "--set", "ForeArm=0,0,60", "--deformer", "dqs", "-o", self.path("p.obj"))


class BadInput(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.arm = cls.make("arm.glb", "arm", "--resolution", 300)
        cls.few = ["--helpers", 4, "--morphs", 2, "--reference", 0, "--deformer", "swing-twist"]

    def test_no_clips(self):
        out = self.path("out.glb")
        bare = edit_glb(self.arm, self.path("bare.glb"), lambda d: d.pop("animations"))
        done = self.call("export", bare, "-o", out, *self.few, "--json")
        self.assertIn("range of motion", done.stderr)
        said = json.loads(done.stdout)
        self.assertIsNone(said["clips"])
        self.assertLess(said["p999"], said["plain"]["held_out"]["p999"])

    def test_one_clip_of_two(self):
        out = self.path("out.glb")
        self.call("export", self.arm, "-o", out, "--clips", "twist", "--force", *self.few)
        self.assertEqual([a["name"] for a in Player(out).json["animations"]], ["twist"])
        self.assertIn("jump", self.call("export", self.arm, "-o", out, "--clips", "jump", "--force", *self.few, code=2).stderr)

    def test_channels_of_others_stay_in_clips_without_names(self):
        def add_lamp(d):
            d["nodes"].append({"name": "lamp"})
            d["scenes"][0]["nodes"].append(len(d["nodes"]) - 1)
            for animation in d["animations"]:
                animation.pop("name")
                sampler = next(c["sampler"] for c in animation["channels"] if c["target"]["path"] == "rotation")
                animation["channels"].append({"sampler": sampler, "target": {"node": len(d["nodes"]) - 1, "path": "rotation"}})
        lit, out = edit_glb(self.arm, self.path("lit.glb"), add_lamp), self.path("out.glb")
        self.call("export", lit, "-o", out, *self.few)
        after = Player(out)
        lamp = next(i for i, n in enumerate(after.json["nodes"]) if n.get("name") == "lamp")
        for clip, animation in enumerate(after.json["animations"]):
            self.assertEqual([c["target"]["path"] for c in animation["channels"] if c["target"]["node"] == lamp], ["rotation"])

    def test_nothing_is_skinned(self):
        mesh = self.path("mesh.obj")
        self.call("convert", self.arm, "-o", mesh)
        self.assertIn("sinew rig", self.call("export", mesh, "-o", self.path("out.glb"), code=4).stderr)

    def test_joints_scaled_to_zero(self):
        def flatten(d):
            for node in d["nodes"]:
                if node.get("name") == "Hand":
                    node["scale"] = [0, 0, 0]
        flat = edit_glb(self.arm, self.path("flat.glb"), flatten)
        said = self.document("export", flat, "-o", self.path("out.glb"), *self.few)
        self.assertTrue(math.isfinite(said["max"]))

    def test_joints_without_names(self):
        def strip(d):
            for node in d["nodes"]:
                node.pop("name", None)
        bare = edit_glb(self.arm, self.path("bare.glb"), strip)
        out = self.path("out.glb")
        said = self.document("export", bare, "-o", out, *self.few)
        self.assertGreater(said["helpers"], 0)
        names = [n["name"] for n in Player(out).json["nodes"] if "name" in n]
        self.assertEqual(len(names), len(set(names)))

    def test_more_than_256_joints(self):
        def lengthen(d):
            joints = d["skins"][0]["joints"]
            last = joints[-1]
            binds = d["accessors"][d["skins"][0]["inverseBindMatrices"]]
            del d["skins"][0]["inverseBindMatrices"]  # the identity each: a rest pose other than the bind pose
            del binds
            for k in range(300):
                d["nodes"].append({"name": "tail%d" % k, "translation": [0.001, 0, 0]})
                d["nodes"][last].setdefault("children", []).append(len(d["nodes"]) - 1)
                last = len(d["nodes"]) - 1
                joints.append(last)
        long = edit_glb(self.arm, self.path("long.glb"), lengthen)
        done = self.call("export", long, "-o", self.path("out.glb"), *self.few, "--json")
        self.assertIn("256", done.stderr)
        self.assertGreater(json.loads(done.stdout)["joints"], 300)

    def test_misuse(self):
        out = self.path("out.glb")
        self.assertIn("plain, web", self.call("export", self.arm, "-o", out, "--for", "quake", code=2).stderr)
        self.call("export", self.arm, "-o", self.path("out.obj"), code=2)
        self.call("export", self.arm, "-o", out, "--influences", 5, code=2)
        self.call("export", self.arm, "-o", out, "--tolerance", -1, code=2)
        self.call("export", self.path("none.glb"), "-o", out, code=5)
        shutil.copy(self.arm, out)
        self.call("export", self.arm, "-o", out, *self.few, code=5)

    def test_a_skeleton_that_is_no_humanoid_keeps_its_names_and_says_so(self):
        done = self.call("export", self.arm, "-o", self.path("out.glb"), "--for", "unity", *self.few)
        self.assertIn("not a humanoid", done.stderr)


@unittest.skipUnless(os.path.isdir(DATA), "no test data: set SINEW_DATA to its folder")
class RealFiles(ProgramTest):
    def kept(self, name, *words):
        source, out = os.path.join(DATA, "rigged_gltf", name), self.path(name)
        said = self.document("export", source, "-o", out, "--reference", 0, *(words or ("--helpers", 3, "--morphs", 2)))
        before, after = Player(source).json, Player(out).json
        for key in ("materials", "textures", "cameras", "samplers"):
            self.assertEqual(before.get(key), after.get(key), key)
        self.assertEqual(len(before.get("images", [])), len(after.get("images", [])))
        self.assertEqual(len(before["meshes"]), len(after["meshes"]))
        self.assertEqual([n.get("name") for n in before["nodes"]], [n.get("name") for n in after["nodes"][:len(before["nodes"])]])
        self.assertEqual([a.get("name", "clip%d" % k) for k, a in enumerate(before.get("animations", []))], [a.get("name") for a in after.get("animations", [])])
        return said, Player(source), Player(out)

    def test_a_fox_keeps_its_texture_and_is_shown_as_it_was(self):
        said, before, after = self.kept("Fox.glb")  # linear blending: nothing to bake
        wanted = before.vertices(1, 0.3)
        self.assertLess(far(wanted, after.vertices(1, 0.3))[-1] / diagonal(wanted), 2e-5)
        self.assertLess(said["clips"]["max"], 2e-5)

    def test_several_skins_rigid_parts_and_morph_targets(self):
        said, _, after = self.kept("RobotExpressive.glb")
        self.assertEqual((said["helpers"], said["morphs"]), (0, 0))  # there is nothing to correct
        source = os.path.join(DATA, "rigged_gltf", "RobotExpressive.glb")
        for clip in (2, 6):
            out = self.path("%d.obj" % clip)  # its own weights do not all sum to 1: the program's reading counts
            self.call("pose", source, "--clip", clip, "--time", 0.4, "-o", out)
            wanted = self.vertices(out)
            self.assertLess(far(wanted, after.vertices(clip, 0.4))[-1] / diagonal(wanted), 1e-4)

    @unittest.skipIf(SANITIZED, "takes minutes there")
    def test_a_man_by_dual_quaternions(self):
        said, _, after = self.kept("CesiumMan.glb", "--deformer", "dqs", "--helpers", 12, "--morphs", 8)
        self.assertLess(said["clips"]["p999"], 0.6 * said["plain"]["clips"]["p999"])


if __name__ == "__main__":
    unittest.main()
