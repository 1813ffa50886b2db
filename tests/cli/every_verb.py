# SPDX-License-Identifier: Apache-2.0
"""A call of every verb on a small rig, for what is asked of all of them: no leaks, no aborts, no bad memory."""


def quick_calls(rig, obj, path):
    """The words of each call, a second of work at most. `rig` is an arm with a ForeArm, `obj` its mesh, and path(NAME)
    a place to write to."""
    bend = ("--set", "ForeArm=0,0,30")

    def to(ending):
        return ("-o", path("out" + ending), "--force")

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
            ("rig", rig, "--method", "heat", "--joint-weights", "skin", *to(".glb")))
