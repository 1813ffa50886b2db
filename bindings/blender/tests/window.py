# SPDX-License-Identifier: Apache-2.0
"""Presses buttons in a window of Blender: jobs run beside it, Esc ends them and leaves everything as it was, undo takes back.

usage: xvfb-run blender --factory-startup --enable-event-simulate --python window.py -- ADDON.zip MESH.obj
"""
import os
import pathlib
import sys
import time
import traceback

import bpy

PATIENCE = 300  # seconds; machines may be busy


def view():
    window = bpy.context.window_manager.windows[0]
    area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
    return {"window": window, "screen": window.screen, "area": area,
            "region": next(r for r in area.regions if r.type == "WINDOW")}


def call(operator, *words, **more):
    with bpy.context.temp_override(**view()):
        return operator(*words, **more)


def press(operator):
    """As a button does."""
    assert call(operator, "INVOKE_DEFAULT") == {"RUNNING_MODAL"}, operator


def until(ready, what):
    end = time.monotonic() + PATIENCE
    while not ready():
        assert time.monotonic() < end, f"waited for {what}"
        yield 0.2
    yield 0.5


def body():
    return next(item for item in bpy.data.objects if item.type == "MESH")


def add_mesh(path):
    points, faces = [], []
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("v "):
            x, y, z = map(float, line.split()[1:4])
            points.append((x, -z, y))
        elif line.startswith("f "):
            faces.append([int(word.split("/")[0]) - 1 for word in line.split()[1:]])
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    mesh = bpy.data.meshes.new("body")
    mesh.from_pydata(points, [], faces)
    item = bpy.data.objects.new("body", mesh)
    bpy.context.scene.collection.objects.link(item)
    item.select_set(True)
    bpy.context.view_layer.objects.active = item
    bpy.ops.ed.undo_push(message="the mesh")


def running():
    """Programs that the add-on has started and that have not ended."""
    mine = str(os.getpid())
    return [folder.name for folder in pathlib.Path("/proc").iterdir() if folder.name.isdigit() and
            (folder / "stat").exists() and (folder / "stat").read_text().rsplit(")", 1)[1].split()[1] == mine]


def story():
    progress = bpy.context.window_manager.sinew
    press(bpy.ops.sinew.find_skeleton)
    yield from until(lambda: "Skeleton" in bpy.data.objects, "a skeleton")
    press(bpy.ops.sinew.bind)
    yield from until(lambda: progress.fraction > 0 and progress.stage, "progress")
    assert running(), "the program runs beside Blender"
    print(f"progress: {progress.fraction:.2f} {progress.stage}")
    for value in ("PRESS", "RELEASE"):
        view()["window"].event_simulate(type="ESC", value=value, x=300, y=300)
    yield from until(lambda: not progress.stage, "Esc")
    assert not running(), "Esc ends the program"
    assert not body().vertex_groups and not body().modifiers and not body().data.shape_keys, "Esc leaves all as it was"
    bpy.context.scene.sinew.flesh = False
    bpy.context.scene.sinew.method = "heat"
    press(bpy.ops.sinew.bind)
    yield from until(lambda: body().vertex_groups, "weights")
    assert body().modifiers
    call(bpy.ops.ed.undo)
    assert not body().vertex_groups and not body().modifiers, "one undo takes Bind back"
    assert "Skeleton" in bpy.data.objects
    call(bpy.ops.ed.undo)
    assert "Skeleton" not in bpy.data.objects, "one more takes Find Skeleton back"
    call(bpy.ops.ed.redo)
    assert "Skeleton" in bpy.data.objects
    print("in a window: OK")
    finish(0)


def finish(code):
    sys.stdout.flush()
    os._exit(code)


def tick():
    try:
        return next(steps)
    except Exception:
        traceback.print_exc()
        finish(1)


archive, mesh = sys.argv[sys.argv.index("--") + 1:]
steps = story()
bpy.context.preferences.view.show_splash = False
bpy.ops.preferences.addon_install(filepath=archive)
bpy.ops.preferences.addon_enable(module="sinew_blender")
bpy.app.timers.register(lambda: add_mesh(mesh), first_interval=1)
bpy.app.timers.register(tick, first_interval=2)
