# SPDX-License-Identifier: Apache-2.0
"""What the program is asked to do with a damaged file, and the sound files that it needs beside it."""
import subprocess

MESHES = (".obj", ".ply", ".off", ".stl", ".mesh")
SKELETONS = (".bvh", ".tgf", ".json")
RIGS = (".glb", ".gltf")
SUFFIXES = MESHES + SKELETONS + RIGS
DEFORMERS = ("lbs dqs mix decomposed swing-twist joint-dqs curve stretch-lbs stretch-dqs volume differential arap points "
             "points-lbs points-dqs cage").split()


def make_sound_files(program, folder):
    """Small rigs that hold all that only this program writes: joint weights, handles, cages, keys that poses drive, a
    stack. Returns the folder, or None where the program cannot make them."""
    folder.mkdir(parents=True, exist_ok=True)
    bend = ["--set", "ForeArm=0,0,60"]
    calls = (
        ["make", "arm", "--resolution", "100", "-o", "arm.glb"],
        ["convert", "arm.glb", "-o", "arm.obj"],
        ["pose", "arm.glb", *bend, "--deformer", "dqs", "-o", "bent.obj"],
        ["rig", "arm.glb", "--method", "heat", "--voxels", "16", "-o", "rig.glb"],
        ["handles", "arm.glb", "--voxels", "12", "-o", "handles.glb"],
        ["cage", "bind", "arm.glb", "--auto", "--controls", "30", "--resolution", "3", "-o", "cage.glb"],
        ["keys", "add", "rig.glb", "--key", "bulge=bent.obj", "--posed", "--example", *bend, "-o", "keys.glb"],
        ["stack", "keys.glb", "--order", "keys,skeleton,mush", "--deformer", "mix", "-o", "stack.glb"],
        ["stack", "keys.glb", "--deformer", "stretch-dqs", "-o", "stack.gltf"],
        ["bake", "arm.glb", "--end", "0.1", "-o", "bake.glb"],
        ["convert", "arm.glb", "-o", "arm.ply"], ["convert", "arm.glb", "-o", "arm.off"], ["convert", "arm.glb", "-o", "arm.stl"])
    for words in calls:
        done = subprocess.run([program, *words, "--force", "--quiet"], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit("mutate: cannot make the sound files: %s: %s" % (" ".join(words), done.stderr.strip()[-300:]))
    return folder


def joint_of(random, info):
    """A joint of the file that can be said on the command line; None where there is none."""
    names = [n for n in info.get("joint_names", []) if n and n.isprintable() and not set(n) & set("=,") and n[0] != "-"]
    return random.choice(names) if names and len(set(names)) == len(names) else None


def pose_words(random, info):
    words, joint = [], joint_of(random, info)
    kind = random.randrange(4)
    if kind == 0 and info.get("clips"):
        return ["--clip", "0", "--time", random.choice(("0", "0.3", "1e9"))]
    if kind < 3 and joint:
        words += ["--set", "%s=%s" % (joint, random.choice(("0,0,30", "90,0,0", "10,170,-60", "0,0,0")))]
    return words


def call_on_rig(random, name, info, made):
    """Words of a call, and the name of the file that it writes (None: none)."""
    verb = random.choice(("convert pose pose pose pose pose bake render weights weights reweight reweight stack keys handles "
                          "cage rig skeleton unpose").split())
    if verb == "convert":
        out = "out" + random.choice((".glb", ".gltf", ".obj", ".ply", ".off", ".stl"))
        return ["convert", name, "-o", out], out
    if verb == "pose":
        out = "out" + random.choice((".obj", ".glb", ".ply"))
        deformer = random.choice(DEFORMERS) + random.choice(("", "", "", "+mush"))
        apply = random.choice(([], ["--apply"])) if out.endswith(".glb") else []
        own = random.random() < 0.2  # the file's own stack
        return ["pose", name, *pose_words(random, info), *([] if own else ["--deformer", deformer]), *apply, "-o", out], out
    if verb == "bake":
        out = "out" + random.choice((".glb", ".pc2", ".mdd"))
        return ["bake", name, "--end", "0.1", "-o", out], out
    if verb == "render":
        return ["render", name, "--width", "32", "--height", "32", "--skeleton", "-o", "out.png"], "out.png"
    if verb in ("weights", "rig"):
        method = random.choice("envelope inverse-distance heat bbw geodesic harmonic".split())
        more = ["--joint-weights", random.choice(("skin", "elastic"))] if verb == "rig" else []
        return [verb, name, "--method", method, "--voxels", "12", *more, "-o", "out.glb"], "out.glb"
    if verb == "reweight":
        more = random.choice((["--smooth", "2"], ["--prune", "2"], ["--mirror", "x"], ["--quantise", "8"]))
        if made and random.random() < 0.3:
            more = ["--from", str(made / "arm.glb")]
        return ["reweight", name, *more, "-o", "out.glb"], "out.glb"
    if verb == "stack":
        return ["stack", name], None
    if verb == "keys":
        return ["keys", "list", name], None
    if verb == "handles":
        return ["handles", name, "--voxels", "12", "-o", "out.glb"], "out.glb"
    if verb == "cage":
        return ["cage", "bind", name, "--auto", "--controls", "30", "--resolution", "3", "-o", "out.glb"], "out.glb"
    if verb == "unpose":
        return ["unpose", name, *pose_words(random, info), "--edited", name, "-o", "out.obj"], "out.obj"
    return call_on_mesh(random, name, made, ("skeleton",))


def call_on_mesh(random, name, made, verbs=("convert", "convert", "render", "cage", "inbetween", "weights", "keys", "skeleton")):
    verb = random.choice(verbs)
    if verb == "convert":
        out = "out" + random.choice((".glb", ".gltf", ".obj", ".ply", ".off", ".stl"))
        return ["convert", name, "-o", out], out
    if verb == "render":
        return ["render", name, "--width", "32", "--height", "32", "--edges", "-o", "out.png"], "out.png"
    if verb == "cage":
        return ["cage", "bind", name, "--auto", "--controls", "30", "--resolution", "3", "-o", "out.glb"], "out.glb"
    if verb == "inbetween":
        return ["inbetween", name, name, "--frames", "3", "-o", "out.pc2"], "out.pc2"
    if verb == "weights" and made:
        method = random.choice("envelope inverse-distance heat bbw".split())
        return ["weights", name, "--skeleton", str(made / "arm.glb"), "--method", method, "--voxels", "12", "-o", "out.glb"], "out.glb"
    if verb == "keys" and made:
        return ["keys", "add", str(made / "arm.obj"), "--key", "a=" + name, "-o", "out.glb"], "out.glb"
    return ["skeleton", name, "--template", random.choice(("arm", "biped", "hand")), "-o", "out.glb"], "out.glb"


def call_on_skeleton(random, name, made):
    kind = random.randrange(4)
    if kind == 0 or not made:
        return ["convert", name, "-o", "out.glb"], "out.glb"
    if kind == 1 and name.endswith(".bvh"):
        return ["bake", str(made / "arm.glb"), "--bvh", name, "--end", "0.1", "-o", "out.pc2"], "out.pc2"
    method = random.choice("envelope inverse-distance heat bbw".split())
    words = ["--skeleton", name, "--method", method, "--voxels", "12"]
    return ["weights", str(made / "arm.obj"), *words, "-o", "out.glb"], "out.glb"


def call_on(random, name, suffix, info, made):
    if suffix in RIGS:
        words, out = call_on_rig(random, name, info, made)
    elif suffix in MESHES:
        words, out = call_on_mesh(random, name, made)
    else:
        words, out = call_on_skeleton(random, name, made)
    return words + random.choice(([], ["--json"])), out
