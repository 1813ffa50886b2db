# SPDX-License-Identifier: Apache-2.0
"""Python gives the bytes and bits that the command line gives."""
import json
import struct

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
