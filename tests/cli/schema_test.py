#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/schema/SINEW_rig.schema.json says what is in a rig, and refuses what is not. Every rig that another test of the
command line writes is held against it, too (program.py).

usage: schema_test.py PROGRAM SOURCE [unittest arguments]
"""
import copy
import unittest

from program import SOURCE, ProgramTest, edit_glb, text_of
from rig_schema import gltf_json, rig_schema


def extension(document):
    return document.setdefault("extensions", {}).setdefault("SINEW_rig", {})


class SchemaOfRigs(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rig = cls.make("rig.glb", "cylinder")
        cls.schema = rig_schema(SOURCE)

    def test_everything_that_a_rig_can_hold_fits(self):
        steps = (("weights", self.rig, "--method", "geodesic", "--endpoint", "projection", "--endpoint-twist", "inverse-distance"),
                 ("pose", None, "--stretch", "Upper=1.2", "--twist", "Upper=0,40"),
                 ("keys", "add", None, "--key", "bulge=" + self.make("bulge.obj", "cylinder"), "--example", "--set", "Upper=60,0,0"),
                 ("cage", "bind", None, "--auto", "--resolution", 4),
                 ("handles", None),
                 ("stack", None, "--order", "keys,cage,skeleton,mush"))
        last = self.rig
        for number, words in enumerate(steps):
            out = self.path("%d.glb" % number)
            self.call(*[last if word is None else word for word in words], "-o", out)  # which checks the schema
            last = out
        document = gltf_json(last)
        self.assertLessEqual({"endpoint", "poseSpaces", "cages", "handles", "stack"}, set(extension(document)))
        self.assertTrue(any("tail" in node.get("extensions", {}).get("SINEW_rig", {}) for node in document["nodes"]))

    def test_deformers_are_read_by_their_old_names(self):
        now, old, file = self.path("now.obj"), self.path("old.obj"), self.path("file.obj")
        shape = ("--stretch", "Upper=1.5", "--twist", "Upper=0,90")
        self.call("pose", self.rig, *shape, "--deformer", "stretch-dqs+mush", "-o", now)
        self.assertEqual(self.document("pose", self.rig, *shape, "--deformer", "stbs-dqs+mush", "-o", old)["deformer"],
                         "stretch-dqs+mush")
        self.call("stack", self.rig, "--deformer", "stretch-dqs+mush", "-o", self.path("new.glb"))
        edit_glb(self.path("new.glb"), self.path("stored.glb"),
                 lambda d: [step.update(deformer="stbs-dqs") for step in extension(d)["stack"] if "deformer" in step])
        self.assertIn("stbs-dqs", str(gltf_json(self.path("stored.glb"))))
        self.call("pose", self.path("stored.glb"), *shape, "-o", file)
        self.assertEqual(text_of(old), text_of(now))
        self.assertEqual(text_of(file), text_of(now))
        self.call("convert", self.path("stored.glb"), "-o", self.path("again.glb"))
        self.call("stack", self.path("stored.glb"), "--mush-passes", 3, "-o", self.path("written.glb"))
        self.assertNotIn("stbs", str(gltf_json(self.path("written.glb"))))

    def test_what_is_wrong_is_refused(self):
        good = gltf_json(self.rig)
        self.assertEqual(list(self.schema.faults(good)), [])
        primitive = lambda document: document["meshes"][0]["primitives"][0]
        for break_it in (lambda d: extension(d).update(stack=[{"mask": "x"}]),
                         lambda d: extension(d).update(stacks=[]),
                         lambda d: extension(d).update(edges=[0, -1]),
                         lambda d: extension(d).update(endpoint={"method": "guess"}),
                         lambda d: extension(d).update(joints={"blends": [{"node": 1, "blend": "cubic"}]}),
                         lambda d: extension(d).update(cages=[{"resolution": 4, "accessors": {"positions": 1}}]),
                         lambda d: extension(d).update(poseSpaces=[{"joints": [{"node": 0, "influence": 0}], "examples": []}]),
                         lambda d: d["nodes"][0].update(extensions={"SINEW_rig": {"tail": [0, 1]}}),
                         lambda d: d["nodes"][0].update(extensions={"SINEW_rig": {"stretch": 0}}),
                         lambda d: d.update(extensionsRequired=["SINEW_rig"]),
                         lambda d: primitive(d)["attributes"].update(_SINEW_WEIGHT_0=3),
                         lambda d: primitive(d)["attributes"].update(_SINEW_SWING_0="3"),
                         lambda d: primitive(d)["extensions"]["SINEW_rig"].update(polygons={"sizes": 1})):
            bad = copy.deepcopy(good)
            break_it(bad)
            self.assertTrue(list(self.schema.faults(bad)))

    def test_an_independent_validator_agrees(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        jsonschema.Draft202012Validator.check_schema(self.schema.document)
        other = jsonschema.Draft202012Validator(self.schema.document)
        good = gltf_json(self.rig)
        self.assertTrue(other.is_valid(good))
        extension(good)["edges"] = [0.5]
        self.assertFalse(other.is_valid(good))


if __name__ == "__main__":
    unittest.main()
