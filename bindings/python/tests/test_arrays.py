# SPDX-License-Identifier: Apache-2.0
"""What goes in: arrays of any layout and origin, and sentences for those that do not fit."""
import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

import sinew

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])


def test_arrays_of_any_layout_are_the_same_mesh():
    wanted = sinew.Mesh(CUBE, QUADS)
    for vertices in (CUBE.tolist(), CUBE.astype(np.float32), np.asfortranarray(CUBE), CUBE.astype(int), CUBE[::-1][::-1],
                     np.repeat(CUBE, 2, axis=0)[::2]):
        for faces in (QUADS.tolist(), QUADS.astype(np.uint8), QUADS.astype(np.int32), np.asfortranarray(QUADS)):
            mesh = sinew.Mesh(vertices, faces)
            assert np.array_equal(mesh.vertices, wanted.vertices) and np.array_equal(mesh.faces, wanted.faces)


def test_read_only_arrays_go_in_and_come_out():
    vertices = CUBE.copy()
    vertices.flags.writeable = False
    mesh = sinew.Mesh(vertices, QUADS)
    assert not mesh.vertices.flags.writeable and not mesh.faces.flags.writeable
    with pytest.raises(ValueError):
        mesh.vertices[0] = 1


def test_what_comes_out_is_a_view_that_outlives_its_mesh():
    mesh = sinew.Mesh(CUBE, QUADS)
    first, second = mesh.vertices, mesh.vertices
    assert first.ctypes.data == second.ctypes.data
    del mesh, second
    assert np.array_equal(first, CUBE)


def test_changing_the_input_later_does_not_change_the_mesh():
    vertices = CUBE.copy()
    mesh = sinew.Mesh(vertices, QUADS)
    vertices[:] = 7
    assert np.array_equal(mesh.vertices, CUBE)


def test_polygons_are_padded_rows_or_lists():
    rows = [[0, 1, 3, 2], [4, 6, 7], [0, 4, 5, 1]]
    mesh = sinew.Mesh(CUBE, rows)
    assert mesh.faces.tolist() == [[0, 1, 3, 2], [4, 6, 7, -1], [0, 4, 5, 1]]
    assert np.array_equal(sinew.Mesh(CUBE, mesh.faces).faces, mesh.faces)
    assert len(mesh.triangles) == 2 + 1 + 2


def test_corners_that_a_face_repeats_count_once_as_in_files(tmp_path):
    rows = [[0, 1, 1, 3], [0, 0, 1, 1], [2, 3, 7, 6]]
    lines = [f"v {x} {y} {z}" for x, y, z in CUBE] + ["f " + " ".join(str(k + 1) for k in row) for row in rows]
    (tmp_path / "cube.obj").write_text("\n".join(lines))
    assert np.array_equal(sinew.Mesh(CUBE, rows).faces, sinew.load(tmp_path / "cube.obj").mesh.faces)


@pytest.mark.parametrize("vertices, faces, says", [
    (np.zeros((0, 3)), QUADS, "vertices is empty"),
    (np.zeros((8, 2)), QUADS, "vertices has the shape (8, 2)"),
    (np.zeros(24), QUADS, "vertices has the shape (24,)"),
    (CUBE.astype(complex), QUADS, "vertices has entries of type complex128"),
    (CUBE.astype(object), QUADS, "vertices has entries of type object"),
    (CUBE.astype(str), QUADS, "vertices has entries of type <U"),
    (np.where(CUBE == 1, np.nan, CUBE), QUADS, "vertices has an entry that is not finite, at (1, 2)"),
    (np.where(CUBE == 1, np.inf, CUBE), QUADS, "vertices has an entry that is not finite"),
    (None, QUADS, "vertices"),
    (CUBE, QUADS + 1, "faces has the index 8, and there are 8 vertices"),
    (CUBE, QUADS - 2, "faces has the index -2"),
    (CUBE, QUADS.astype(np.uint64) * 2**40, "faces has the index"),
    (CUBE, QUADS.astype(float), "faces has entries of type float64"),
    (CUBE, QUADS[:, :2], "faces has the shape (6, 2)"),
    (CUBE, QUADS.ravel(), "faces has the shape (24,)"),
    (CUBE, [[-1, 0, 1, 2]], "faces has a -1 before the last corner"),
    (CUBE, [[0, 1, -1]], "faces has a -1 before the last corner"),
])
def test_what_does_not_fit_is_refused_in_a_sentence(vertices, faces, says):
    with pytest.raises(sinew.UsageError) as caught:
        sinew.Mesh(vertices, faces)
    assert says in str(caught.value)
    assert caught.value.code == 2 and isinstance(caught.value, ValueError)
    assert caught.value.parameter in ("vertices", "faces")


def test_a_mesh_without_faces_is_one_and_cannot_be_rigged():
    mesh = sinew.Mesh(CUBE, [])
    assert mesh.faces.shape == (0, 3)
    with pytest.raises(sinew.BadInputError):
        sinew.rig(mesh, quality="fast")


SHAPES = st.one_of(arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5), st.just((8, 3)))


@given(arrays.arrays(st.sampled_from([np.float64, np.float32, np.int16, np.uint8, np.bool_, np.complex64, np.dtype("U3")]), SHAPES))
def test_any_array_of_vertices_is_a_mesh_or_a_sentence(vertices):
    try:
        mesh = sinew.Mesh(vertices, [])
    except sinew.UsageError as problem:
        assert str(problem).startswith("vertices ")
    else:
        assert np.array_equal(mesh.vertices, vertices)
        assert vertices.ndim == 2 and vertices.shape[1] == 3


@given(arrays.arrays(st.sampled_from([np.int64, np.int8, np.uint32]), arrays.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=5),
                     elements=st.integers(0, 9)))
def test_any_array_of_faces_is_a_mesh_or_a_sentence(faces):
    try:
        mesh = sinew.Mesh(CUBE, faces)
    except sinew.UsageError as problem:
        assert str(problem).startswith("faces ")
    else:
        assert mesh.faces.size == 0 or mesh.faces.max() < 8
        kept = [list(dict.fromkeys(row)) for row in faces.tolist()] if faces.size else []
        assert [[k for k in row if k >= 0] for row in mesh.faces.tolist()] == [row for row in kept if len(row) >= 3]


@given(arrays.arrays(st.sampled_from([np.float64, np.float32, np.int32, np.complex64]),
                     st.one_of(arrays.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4), st.just((2, 3, 4, 4)), st.just((3, 3, 4)))))
def test_any_array_of_poses_is_frames_or_a_sentence(arm, poses):
    try:
        frames = sinew.Player(arm, "lbs")(poses, check=False)
    except sinew.UsageError as problem:
        assert str(problem).startswith(("local ", "poses "))
    else:
        assert len(arm.skeleton) in poses.shape[-3:-2]
        assert frames.shape == (*(poses.shape[:1] if poses.ndim == 4 else ()), len(arm.mesh.vertices), 3)


@given(arrays.arrays(st.sampled_from([np.float64, np.float16, np.uint8]),
                     st.one_of(arrays.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4), st.just((8, 2))),
                     elements=st.sampled_from([0.0, 1.0, 2.0]) | st.integers(0, 3).map(float)))
def test_any_array_of_weights_is_a_rig_or_a_sentence(weights):
    bones = sinew.Skeleton(["low", "high"], [-1, 0], [[0, 0, 0], [0, 0.5, 0]], tails=[[0, 0.5, 0], [0, 1, 0]])
    try:
        rig = sinew.make_rig(sinew.Mesh(CUBE, QUADS), bones, weights)
    except (sinew.UsageError, sinew.BadInputError) as problem:
        assert "weight" in str(problem)
    else:
        assert weights.shape == (8, 2) and np.isfinite(rig.weights).all()


class Tensor:
    """Something that speaks DLPack alone, as tensors of other libraries do."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (self.device, 0)


def test_tensors_go_in_by_dlpack():
    mesh = sinew.Mesh(Tensor(CUBE.copy()), Tensor(QUADS.copy()))
    assert np.array_equal(mesh.vertices, CUBE) and np.array_equal(mesh.faces, QUADS)


def test_a_tensor_on_a_graphics_card_is_sent_back():
    with pytest.raises(sinew.UsageError, match="bring it to the CPU"):
        sinew.Mesh(Tensor(CUBE, device=2), QUADS)


def test_torch_tensors_go_in_and_out(arm):
    torch = pytest.importorskip("torch")
    mesh = sinew.Mesh(torch.tensor(CUBE), torch.tensor(QUADS))
    assert np.array_equal(torch.tensor(np.array(mesh.vertices)).numpy(), CUBE)
    poses = torch.tensor(sinew.clip(arm).local)
    assert torch.from_dlpack(sinew.Player(arm)(poses)).shape == (len(poses), len(arm.mesh.vertices), 3)


def test_anything_with_vertices_and_faces_is_a_mesh(arm):
    class Scene:
        vertices, faces = arm.mesh.vertices, arm.mesh.faces

    assert np.array_equal(sinew.rig(Scene, arm.skeleton, quality="fast").mesh.vertices, arm.mesh.vertices)


def test_trimesh_goes_in_and_out(arm):
    trimesh = pytest.importorskip("trimesh")
    made = sinew.to_trimesh(arm.mesh)
    assert isinstance(made, trimesh.Trimesh) and np.array_equal(made.vertices, arm.mesh.vertices)
    assert np.array_equal(sinew.Mesh(made.vertices, made.faces).triangles, arm.mesh.triangles)


def test_weights_of_another_program_make_a_rig(arm, tmp_path):
    rig = sinew.make_rig(arm.mesh, arm.skeleton, arm.weights)
    assert np.array_equal(rig.weights, arm.weights)
    pose = sinew.pose(rig, {"ForeArm": (0, 0, 70)})
    assert np.array_equal(sinew.Player(rig)(pose), sinew.Player(arm)(pose))
    sinew.save(rig, tmp_path / "rig.glb")
    loaded = sinew.load(tmp_path / "rig.glb")  # the mesh's node is one of its joints, and moves nothing
    assert np.allclose(loaded.weights[:, loaded.skeleton.deforms], arm.weights, atol=1e-6)
    for wrong in (arm.weights[1:], arm.weights[:, 1:], -arm.weights, arm.weights * np.nan):
        with pytest.raises(sinew.UsageError, match="weights"):
            sinew.make_rig(arm.mesh, arm.skeleton, wrong)


def test_sparse_weights_are_the_dense_ones(arm):
    offsets, joints, weights = arm.sparse_weights
    dense = np.zeros_like(arm.weights)
    for i in range(len(offsets) - 1):
        dense[i, joints[offsets[i]:offsets[i + 1]]] = weights[offsets[i]:offsets[i + 1]]
    assert np.array_equal(dense, arm.weights)
    assert np.allclose(dense.sum(axis=1), 1)


def test_skeletons_are_what_was_given():
    names, parents, heads = ["a", "b", "c"], [-1, 0, 1], [[0, 0, 0], [0, 1, 0], [1, 1, 0]]
    skeleton = sinew.Skeleton(names, parents, heads, tails=[[0, 1, 0], [1, 1, 0], [2, 1, 0]])
    assert (skeleton.names, skeleton.parents) == (names, parents)
    assert np.allclose(skeleton.heads, heads) and np.allclose(skeleton.tails[2], (2, 1, 0))
    again = sinew.Skeleton(names, parents, rest=skeleton.rest)
    assert np.allclose(again.heads, heads)
    for wrong in (([], [], []), (names, [-1, 0], heads), (names, parents, heads[:2]), (names, parents, np.full((3, 3), np.nan))):
        with pytest.raises(sinew.UsageError):
            sinew.Skeleton(*wrong)
    for parents in ([1, 0, 0], [-1, 5, 0]):
        with pytest.raises(sinew.BadInputError):
            sinew.Skeleton(names, parents, heads)
    with pytest.raises(sinew.UsageError, match="one of them"):
        sinew.Skeleton(names, [-1, 0, 1])
