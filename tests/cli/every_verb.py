# SPDX-License-Identifier: Apache-2.0
"""A call of every verb on a small rig, for what is asked of all of them: no leaks, no aborts, no bad memory."""
import json
import re

LEFT_OUT = {"studio"}  # which runs until it is stopped; its tests call it themselves


def listed_verbs(help_text):
    """The verbs that the program's own list names."""
    listed = re.search(r"Subcommands:\n(.*?)\n\n", help_text, re.S).group(1)
    return {line.split()[0] for line in listed.splitlines()}


def quick_calls(rig, obj, path):
    """The words of each call, a second of work at most. `rig` is an arm with a ForeArm, `obj` its mesh, and path(NAME)
    a place to write to."""
    bend = ("--set", "ForeArm=0,0,30")

    def to(ending):
        return ("-o", path("out" + ending), "--force")

    with open(path("jobs.jsonl"), "w") as jobs:
        jobs.write(json.dumps({"verb": "convert", "args": [rig], "out": "a.obj"}) + "\n")
    return (("make", "cylinder", *to(".glb")), ("info", rig), ("info", rig, "--json"),
            ("convert", rig, *to(".ply")),
            ("pose", rig, *bend, "--deformer", "dqs+mush", *to(".obj")),
            ("pose", rig, *bend, "--deformer", "arap", *to(".glb")),
            ("bake", rig, "--end", "0.1", *to(".glb")),
            ("export", rig, "--deformer", "dqs", "--helpers", 1, "--morphs", 1, "--reference", 0, *to(".glb")),
            ("retarget", rig, "--motion", rig, *to(".glb")),
            ("check", rig, "--voxels", 8, "--against", rig),
            ("render", rig, "--width", 32, "--height", 32, "--skeleton", *to(".png")),
            ("weights", rig, "--method", "heat", *to(".glb")),
            ("reweight", rig, "--smooth", "2", *to(".glb")), ("stack", rig),
            ("keys", "add", rig, "--key", "a=" + obj, *to(".glb")), ("keys", "list", rig),
            ("unpose", rig, *bend, "--edited", obj, *to(".obj")),
            ("skeleton", obj, "--template", "hand", *to(".glb")), ("handles", rig, *to(".glb")),
            ("inbetween", obj, obj, "--frames", "3", *to(".pc2")),
            ("cage", "bind", rig, "--auto", "--resolution", "3", *to(".glb")),
            ("rig", rig, "--method", "heat", "--joint-weights", "skin", *to(".glb")),
            ("compare", rig, "--joints", "ForeArm", "--voxels", 6, "--pictures", 1, "--clip-samples", 0, "--pair",
             "own:dqs", *to("")),
            ("bench", "memory/copy"), ("batch", path("jobs.jsonl"), "-o", path("batch")))
