# SPDX-License-Identifier: Apache-2.0
"""Sinew for Blender: finds skeletons, binds meshes, bakes flesh that keeps its volume. See docs/blender.md."""
bl_info = {
    "name": "Sinew",
    "author": "The sinew authors",
    "version": (0, 2, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Sinew",
    "description": "Finds skeletons, binds meshes, and bakes flesh that keeps its volume",
    "category": "Rigging",
}

import bpy  # noqa: E402  (Blender reads bl_info first)

from . import bake_flesh, bind, cage_bind, check, find_skeleton, panel, preferences, retarget, settings, transfer  # noqa: E402

MODULES = (preferences, settings, find_skeleton, bind, bake_flesh, check, transfer, retarget, cage_bind, panel)


def register():
    for module in MODULES:
        for kind in module.CLASSES:
            bpy.utils.register_class(kind)
    settings.add_properties()
    bpy.types.VIEW3D_MT_object.append(panel.menu)


def unregister():
    bpy.types.VIEW3D_MT_object.remove(panel.menu)
    settings.remove_properties()
    for module in reversed(MODULES):
        for kind in reversed(module.CLASSES):
            bpy.utils.unregister_class(kind)
