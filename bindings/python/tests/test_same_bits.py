# SPDX-License-Identifier: Apache-2.0
"""Python gives the bytes and bits that the command line gives."""
import json
import struct
import zlib

import numpy as np
import pytest

import sinew


def read_pc2(path):
    """(frames, vertices, 3), by the format's description: a header of 32 bytes, then floats."""
    bytes_ = path.read_bytes()
    assert bytes_[:12] == b"POINTCACHE2\0"
    _, points, _, _, samples = struct.unpack("<iiffi", bytes_[12:32])
    return np.frombuffer(bytes_[32:], "<f4").reshape(samples, points, 3)


def positions_of(path):
    """The `v` lines of an .obj."""
    return np.array([line.split()[1:4] for line in path.read_text().splitlines() if line.startswith("v ")], np.float32)


@pytest.mark.parametrize("name", ["quad/mh_proxy741.obj", "static_tri/q_human_man_tpose.obj"])
def test_rig_writes_the_bytes_of_the_command_line(data, program, tmp_path, name):
    program("rig", data / name, "--quality", "fast", "-o", "line.glb")
    sinew.save(sinew.rig(data / name, quality="fast"), tmp_path / "python.glb")
    assert (tmp_path / "python.glb").read_bytes() == (tmp_path / "line.glb").read_bytes()


def test_flesh_is_the_same_too(program, tmp_path, arm):
    sinew.save(arm.mesh, tmp_path / "arm.obj")
    options = {"swing": 60, "joints": {"ForeArm": {"twist": 45}}}
    (tmp_path / "range.json").write_text(json.dumps(options))
    program("rig", "arm.obj", "--template", "arm", "--voxels", 24, "--range", "range.json", "--stiffness", "Hand=4", "-o", "line.glb")
    rig = sinew.rig(tmp_path / "arm.obj", template="arm", voxels=24, range=options, stiffness={"Hand": 4})
    sinew.save(rig, tmp_path / "python.glb")
    assert (tmp_path / "python.glb").read_bytes() == (tmp_path / "line.glb").read_bytes()
    assert rig.report["flesh"]["worst"] >= 1


def test_weights_with_settings_and_another_skeleton(data, program, tmp_path):
    source = data / "rigged_gltf/male_base_mesh.glb"
    joint = sinew.load(source).skeleton.names[0]
    program("weights", source, "--skeleton", source, "--method", "envelope", "--radii", f"{joint}=0.2", "--smoothing", 2,
            "--influences", 8, "-o", "line.glb")
    rig = sinew.weights(source, source, method="envelope", radii={joint: 0.2}, smoothing=2, influences=8)
    sinew.save(rig, tmp_path / "python.glb")
    assert (tmp_path / "python.glb").read_bytes() == (tmp_path / "line.glb").read_bytes()


def test_conversion_keeps_the_bytes_of_the_command_line(data, program, tmp_path):
    source = data / "rigged_gltf/CesiumMan.glb"
    for kind in ("glb", "ply", "obj"):
        program("convert", source, "-o", f"line.{kind}")
        sinew.save(sinew.load(source), tmp_path / f"python.{kind}")
        made, wanted = (tmp_path / f"python.{kind}").read_bytes(), (tmp_path / f"line.{kind}").read_bytes()
        assert made.replace(b"python", b"line") == wanted


@pytest.mark.parametrize("deformer", ["lbs", "dqs+mush", "swing-twist"])
def test_player_gives_the_frames_of_bake(data, program, tmp_path, deformer):
    source = data / "rigged_gltf/Fox.glb"
    program("bake", source, "--clip", 1, "--fps", 20, "--deformer", deformer, "-o", "line.pc2")
    rig = sinew.load(source)
    frames, _ = sinew.Player(rig, deformer)(sinew.clip(rig, 1, fps=20), normals=True)  # as bake does, which tells in the last bit
    assert np.array_equal(frames, read_pc2(tmp_path / "line.pc2"))
    assert len(frames) > 3


def test_baked_files_are_those_of_bake(program, tmp_path, arm):
    sinew.save(arm, tmp_path / "arm.glb")
    program("bake", "arm.glb", "--fps", 10, "-o", "line.glb")
    sinew.bake(tmp_path / "arm.glb", 0, tmp_path / "python.glb", fps=10)
    assert (tmp_path / "python.glb").read_bytes() == (tmp_path / "line.glb").read_bytes()


def test_a_pose_is_that_of_the_command_line(data, program, tmp_path):
    source = data / "rigged_gltf/CesiumMan.glb"
    rig = sinew.load(source)
    joint = rig.skeleton.names[5]
    program("pose", source, "--set", f"{joint}=10,-50,20", "--clip", 0, "--time", 0.4, "--deformer", "dqs", "-o", "line.obj")
    pose = sinew.pose(rig, {joint: (10, -50, 20)}, clip=0, time=0.4)
    wanted = positions_of(tmp_path / "line.obj")
    assert np.array_equal(sinew.Player(rig, "dqs")(pose)[0], wanted)
    assert np.array_equal(sinew.posed_mesh(rig, pose, "dqs").vertices.astype(np.float32), wanted)


def test_export_and_its_report_are_those_of_the_command_line(program, tmp_path, arm):
    sinew.save(arm, tmp_path / "arm.glb")
    said = json.loads(program("export", "arm.glb", "--deformer", "dqs", "--helpers", 2, "--morphs", 1, "--reference", 0,
                              "--json", "-o", "line.glb"))
    plain = sinew.export(tmp_path / "arm.glb", deformer="dqs", helpers=2, morphs=1, reference=0)
    sinew.save(plain, tmp_path / "python.glb")
    assert (tmp_path / "python.glb").read_bytes() == (tmp_path / "line.glb").read_bytes()
    said.pop("bytes")
    assert plain.report == said


def test_keys_cages_and_stacks_are_those_of_the_command_line(program, tmp_path, arm):
    sinew.save(arm, tmp_path / "arm.glb")
    rig = sinew.load(tmp_path / "arm.glb")
    shape = rig.mesh.vertices * (1.1, 1, 1)
    sinew.save(sinew.Mesh(shape, rig.mesh.faces), tmp_path / "wide.ply")
    shape = sinew.load(tmp_path / "wide.ply").mesh
    program("keys", "add", "arm.glb", "--key", "wide=wide.ply", "-o", "key.glb")
    sinew.save(sinew.add_key(rig, "wide", shape), tmp_path / "key_.glb")
    assert (tmp_path / "key_.glb").read_bytes() == (tmp_path / "key.glb").read_bytes()
    program("cage", "bind", "arm.glb", "--auto", "--controls", 60, "--resolution", 4, "-o", "cage.glb")
    caged = sinew.cage(rig, controls=60, resolution=4)
    sinew.save(caged, tmp_path / "cage_.glb")
    assert (tmp_path / "cage_.glb").read_bytes() == (tmp_path / "cage.glb").read_bytes()
    program("stack", "arm.glb", "--order", "keys,skeleton,mush", "--mush-passes", 3, "-o", "stack.glb")
    sinew.save(sinew.stack(rig, "keys,skeleton,mush", mush_passes=3), tmp_path / "stack_.glb")
    assert (tmp_path / "stack_.glb").read_bytes() == (tmp_path / "stack.glb").read_bytes()


def test_info_is_that_of_the_command_line(data, program):
    source = data / "rigged_gltf/RobotExpressive.glb"
    assert sinew.info(source) == json.loads(program("info", source, "--json"))


def test_a_found_skeleton_is_that_of_the_command_line(data, program, tmp_path):
    source = data / "quad/mh_proxy741.obj"
    said = json.loads(program("skeleton", source, "--json", "-o", "line.json"))
    skeleton = sinew.find_skeleton(source)
    for moving in (said, report := skeleton.report):
        moving.pop("milliseconds")
    said.pop("output")
    assert report == said
    assert np.allclose(skeleton.heads, [joint["position"] for joint in said["joints"]], atol=1e-12)


def without(report, *names):
    return {name: value for name, value in report.items() if name not in names}


def test_check_says_what_the_command_line_says(data, program, tmp_path):
    mine, artist = data / "rigged_gltf/CesiumMan.glb", tmp_path / "again.glb"
    sinew.save(sinew.reweight(mine, smooth=3), artist)
    said = json.loads(program("check", mine, "--against", artist, "--bend", 45, "--influences", 2, "--voxels", 24, "--json"))
    report = sinew.check(mine, against=artist, bend=45, influences=2, voxels=24)
    assert without(report, "seconds", "warnings") == without(said, "seconds")
    assert report["l1"] > 0 and report["joints"]
    sinew.check(mine, voxels=24, page=tmp_path / "page", pictures=2)
    program("check", mine, "--voxels", 24, "--pictures", 2, "-o", "line")
    names = sorted(path.name for path in (tmp_path / "line").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "page").iterdir())
    for name in names:
        if name.endswith(".png"):
            assert (tmp_path / "page" / name).read_bytes() == (tmp_path / "line" / name).read_bytes()


def test_edited_weights_are_checked_and_not_those_of_the_file(data):
    source = data / "rigged_gltf/CesiumMan.glb"
    rig = sinew.reweight(source, smooth=1)
    assert sinew.check(rig, voxels=16)["max_row_error"] < 1e-12 < sinew.check(source, voxels=16)["max_row_error"]


def test_strict_refuses_what_the_command_line_refuses(biped):
    report = sinew.check(biped, voxels=16, influences=1)
    assert any("more than 1" in reason for joint in report["joints"] for reason in joint["reasons"])
    with pytest.raises(sinew.ImpossibleError, match="influences, more than 1") as caught:
        sinew.check(biped, voxels=16, influences=1, strict=True)
    assert caught.value.code == 4


def test_retargeted_clips_are_those_of_the_command_line(data, program, tmp_path, biped):
    sinew.save(biped, tmp_path / "biped.glb")
    walk, run = data / "bvh/mh_walk1.bvh", data / "bvh/mh_run01.bvh"
    said = json.loads(program("retarget", "biped.glb", "--motion", walk, "--motion", run, "--fps", 24, "--json", "-o", "line.glb"))
    rig = sinew.retarget(tmp_path / "biped.glb", [walk, run], fps=24)
    assert rig.report == without(said, "output")
    sinew.save(rig, tmp_path / "python.glb")
    assert (tmp_path / "python.glb").read_bytes() == (tmp_path / "line.glb").read_bytes()
    program("retarget", "biped.glb", "--motion", walk, "--slide", "--replace", "--force", "-o", "line.glb")
    rig = sinew.retarget(sinew.load(tmp_path / "biped.glb"), sinew.load(walk), slide=True, replace=True)
    sinew.save(rig, tmp_path / "python.glb", force=True)
    assert (tmp_path / "python.glb").read_bytes() == (tmp_path / "line.glb").read_bytes()
    assert len(rig.clips) == 1
    with pytest.raises(sinew.BadInputError, match="holds no motion"):
        sinew.retarget(biped, sinew.make("arm").mesh)


def test_a_motion_is_baked_as_by_the_command_line(data, program, tmp_path, biped):
    sinew.save(biped, tmp_path / "biped.glb")
    walk = data / "bvh/mh_walk1.bvh"
    program("bake", "biped.glb", "--bvh", walk, "--fps", 12, "--deformer", "dqs", "-o", "line.glb")
    frames = sinew.bake(tmp_path / "biped.glb", path=tmp_path / "python.glb", bvh=walk, fps=12, deformer="dqs")
    assert (tmp_path / "python.glb").read_bytes() == (tmp_path / "line.glb").read_bytes()
    assert np.ptp(frames, axis=0).max() > 0.1 and len(frames) > 5


def read_png(path):
    """(height, width, 3) by the format's description: of 8 bits, a palette or red, green and blue."""
    bytes_, chunks, at = path.read_bytes(), {}, 8
    while at < len(bytes_):
        size, kind = struct.unpack(">I4s", bytes_[at:at + 8])
        chunks[kind] = chunks.get(kind, b"") + bytes_[at + 8:at + 8 + size]
        at += 12 + size
    width, height, bits, colours = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert bits == 8 and colours in (2, 3)
    step = 3 if colours == 2 else 1
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + step * width)
    above, lines = np.zeros(step * width, int), []
    for row in rows:
        line, kind = row[1:].astype(int), row[0]
        if kind == 2:
            line = line + above
        elif kind:
            for k in range(len(line)):
                left, up, corner = (line[k - step], above[k], above[k - step]) if k >= step else (0, above[k], 0)
                guess = left + up - corner
                nearest = min((left, up, corner), key=lambda value: abs(guess - value))
                line[k] = (line[k] + {1: left, 3: (left + up) // 2, 4: nearest}[kind]) % 256
        above = line % 256
        lines.append(above)
    pixels = np.array(lines, np.uint8)
    if colours == 3:
        return np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)[pixels]
    return pixels.reshape(height, width, 3)


@pytest.mark.parametrize("words, options", [
    ([], {}),
    (["--views", "front,top", "--skeleton", "--edges", "--clay"], dict(views=["front", "top"], skeleton=True, edges=True, clay=True)),
    (["--heat", "{joint}", "--range", "0,0.5", "--caption", "arm"], dict(heat="{joint}", range=(0, 0.5), captions="arm")),
    (["--set", "{joint}=0,40,30", "--deformer", "dqs+mush", "--mush-passes", "3", "--frame", "-1,0,-1,1,2,1"],
     dict(pose={"{joint}": (0, 40, 30)}, deformer="dqs+mush", mush_passes=3, frame=[[-1, 0, -1], [1, 2, 1]])),
])
def test_pictures_are_those_of_the_command_line(data, program, tmp_path, words, options):
    source = data / "rigged_gltf/CesiumMan.glb"
    joint = sinew.load(source).skeleton.names[5]
    words = [word.replace("{joint}", joint) for word in words]
    if "heat" in options:
        options = {**options, "heat": joint}
    if "pose" in options:
        options = {**options, "pose": {joint: value for value in options["pose"].values()}}
    size = dict(width=160, height=200)
    program("render", source, "--width", 160, "--height", 200, *words, "-o", "line.png")
    picture = sinew.render(source, tmp_path / "python.png", **size, **options)
    assert (tmp_path / "python.png").read_bytes() == (tmp_path / "line.png").read_bytes()
    assert picture.dtype == np.uint8 and np.array_equal(picture, read_png(tmp_path / "line.png"))
    assert np.array_equal(sinew.render(source, **size, **options), picture)


def test_several_pictures_stand_side_by_side_as_on_the_command_line(data, program, tmp_path, arm):
    sinew.save(arm, tmp_path / "arm.glb")
    sinew.save(sinew.posed_mesh(arm, sinew.pose(arm, {"ForeArm": (0, 0, 60)})), tmp_path / "bent.obj")
    program("render", "arm.glb", "bent.obj", "--grid", "--views", "front", "--width", 100, "--heat", "distance=arm.glb", "-o", "line.png")
    sinew.render([tmp_path / "arm.glb", tmp_path / "bent.obj"], tmp_path / "python.png", views="front", width=100,
                 distance=tmp_path / "arm.glb")
    assert (tmp_path / "python.png").read_bytes() == (tmp_path / "line.png").read_bytes()
    with pytest.raises(sinew.FileError, match="exists"):
        sinew.render(arm, tmp_path / "python.png")
    for wrong in (dict(views="left"), dict(up="w"), dict(frame=(1, 2)), dict(heat="Nobody"), dict(width=0), dict(nothing=1)):
        with pytest.raises(sinew.UsageError):
            sinew.render(arm, **wrong)
