# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures of docs/blender.md in a window of Blender: the panel, and limbs with and without flesh.

usage: xvfb-run -s "-screen 0 1280x800x24" blender --factory-startup --enable-event-simulate --window-geometry 0 0 1280 800
         --python tools/blender_addon_picture.py -- ADDON.zip BIPED.obj ARM.obj FOLDER

The meshes are what `sinew make` and `sinew convert` give. With a real window, since operators run as they do for a user.
"""
import math
import sys
import traceback

import bpy
from mathutils import Euler, Quaternion

archive, biped, arm, folder = sys.argv[sys.argv.index("--") + 1:]
TAB = (-12, 162)  # of the tab Sinew, from the top right corner of the sidebar


def view():
    window = bpy.context.window_manager.windows[0]
    area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
    return {"window": window, "screen": window.screen, "area": area,
            "region": next(r for r in area.regions if r.type == "WINDOW")}


def call(operator, *words, **more):
    with bpy.context.temp_override(**view()):
        return operator(*words, **more)


def body():
    return next(o for o in bpy.data.objects if o.type == "MESH")


def look(distance, place, angle):
    region = view()["area"].spaces[0].region_3d
    region.view_perspective, region.view_distance = "PERSP", distance
    region.view_location, region.view_rotation = place, Euler(angle).to_quaternion()


def load(mesh):
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    call(bpy.ops.import_scene.obj, filepath=mesh)
    body().name = "Body"
    bpy.context.view_layer.objects.active = body()
    for face in body().data.polygons:
        face.use_smooth = True


def prepare():
    call(bpy.ops.screen.screen_full_area)
    yield 1
    load(biped)
    space = view()["area"].spaces[0]
    space.show_region_ui, space.overlay.show_cursor, space.show_gizmo = True, False, False
    look(2.4, (0.35, 0, 0.9), (math.radians(82), 0, math.radians(25)))
    yield 1
    sidebar = next(r for r in view()["area"].regions if r.type == "UI")
    x, y = sidebar.x + sidebar.width + TAB[0], sidebar.y + sidebar.height - TAB[1]
    view()["window"].event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
    yield 0.5
    for value in ("PRESS", "RELEASE"):
        view()["window"].event_simulate(type="LEFTMOUSE", value=value, x=x, y=y)
    yield 1


def wait(ready):
    while not ready():
        yield 0.5
    yield 1


def pose(turns):
    for name, (axis, angle) in turns.items():
        bone = bpy.data.objects["Skeleton"].pose.bones[name]
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = Quaternion(axis, math.radians(angle))


def shot(name):
    call(bpy.ops.screen.screenshot, filepath=f"{folder}/{name}.png")


def story():
    yield from prepare()
    call(bpy.ops.sinew.find_skeleton, "INVOKE_DEFAULT")
    yield from wait(lambda: "Skeleton" in bpy.data.objects)
    call(bpy.ops.sinew.bind, "INVOKE_DEFAULT")
    yield from wait(lambda: body().data.shape_keys)
    call(bpy.ops.sinew.check, "INVOKE_DEFAULT")
    yield from wait(lambda: bpy.context.scene.sinew.grade)
    pose({"upper_arm.L": ((0, 0, 1), -35), "forearm.L": ((1, 0, 0), 95), "thigh.L": ((1, 0, 0), -60), "shin.L": ((1, 0, 0), 85)})
    yield 1
    shot("panel")
    load(arm)
    bpy.context.scene.sinew.template = "arm"
    call(bpy.ops.sinew.find_skeleton, "INVOKE_DEFAULT")
    yield from wait(lambda: "Skeleton" in bpy.data.objects)
    call(bpy.ops.sinew.bind, "INVOKE_DEFAULT")
    yield from wait(lambda: body().data.shape_keys)
    space = view()["area"].spaces[0]
    space.show_region_ui, space.overlay.show_overlays, space.show_region_toolbar = False, False, False
    elbow = bpy.data.objects["Skeleton"].data.bones[1]
    look(2.2 * elbow.length, elbow.head_local, (math.radians(50), 0, math.radians(10)))
    for name, turn in (("bend", ((1, 0, 0), 100)), ("twist", ((0, 1, 0), 100))):
        pose({elbow.name: turn})
        for kind, muted in (("flesh", False), ("linear", True)):
            for key in body().data.shape_keys.key_blocks:
                key.mute = muted
            yield 1
            shot(f"{name}_{kind}")
    bpy.ops.wm.quit_blender()


steps = story()


def tick():
    try:
        return next(steps)
    except StopIteration:
        return None
    except Exception:
        traceback.print_exc()
        bpy.ops.wm.quit_blender()


bpy.context.preferences.view.show_splash = False
bpy.ops.preferences.addon_install(filepath=archive)
bpy.ops.preferences.addon_enable(module="sinew_blender")
bpy.app.timers.register(tick, first_interval=2)
