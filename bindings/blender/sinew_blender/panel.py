# SPDX-License-Identifier: Apache-2.0
"""The tab Sinew of the 3D view's sidebar."""
import textwrap

import bpy

from . import program
from .job import selected_meshes
from .preferences import preferences_of

GRADE_ICONS = {"A": "CHECKMARK", "B": "CHECKMARK", "C": "DOT", "D": "ERROR", "E": "ERROR", "F": "CANCEL"}


class Tab:
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Sinew"


def folded(layout, settings, name):
    """The arrow that shows more settings; True where they are shown."""
    shown = getattr(settings, name)
    row = layout.row()
    row.alignment = "LEFT"
    row.prop(settings, name, icon="TRIA_DOWN" if shown else "TRIA_RIGHT", emboss=False)
    return shown


def text_lines(layout, context, text, icon="NONE"):
    width = max(20, int(context.region.width / 7.5 / context.preferences.system.ui_scale))
    column = layout.column(align=True)
    for number, line in enumerate(textwrap.wrap(text, width)):
        column.label(text=line, icon=icon if number == 0 else "NONE")


class SINEW_PT_rig(Tab, bpy.types.Panel):
    bl_idname = "SINEW_PT_rig"
    bl_label = "Rig"

    def draw(self, context):
        layout, settings = self.layout, context.scene.sinew
        try:
            program.find(preferences_of(context).program)
        except program.Failed as problem:
            text_lines(layout, context, str(problem), "ERROR")
            layout.operator("preferences.addon_show", text="Open Preferences").module = __package__
            return
        progress = context.window_manager.sinew
        if progress.stage:
            if hasattr(layout, "progress"):
                layout.progress(factor=progress.fraction, text=f"{progress.stage} (Esc: cancel)")
            else:
                layout.label(text=f"{progress.stage} (Esc: cancel)")
                layout.prop(progress, "fraction", slider=True)
            return
        self.draw_skeleton(layout, settings)
        self.draw_bind(layout, context, settings)
        self.draw_flesh(layout, settings)
        if settings.message:
            text_lines(layout.box(), context, settings.message, "INFO")

    def draw_skeleton(self, layout, settings):
        box = layout.box()
        box.operator("sinew.find_skeleton", icon="ARMATURE_DATA")
        box.prop(settings, "template", text="")
        if folded(box, settings, "show_skeleton"):
            box.prop(settings, "names")
            box.prop(settings, "through_volume")

    def draw_bind(self, layout, context, settings):
        box = layout.box()
        box.operator("sinew.bind", icon="MOD_ARMATURE")
        box.prop(settings, "method", text="")
        box.prop(settings, "flesh")
        if folded(box, settings, "show_bind"):
            box.prop(settings, "influences")
            box.prop(settings, "voxels")
            box.prop(settings, "only_selected")
            for item in selected_meshes(context):
                box.prop(item, "sinew_part", text=item.name)

    def draw_flesh(self, layout, settings):
        box = layout.box()
        row = box.row(align=True)
        row.operator("sinew.bake_flesh", icon="SHAPEKEY_DATA")
        row.operator("sinew.remove_flesh", text="", icon="X")
        if folded(box, settings, "show_flesh"):
            box.prop(settings, "keys_per_bone")
            box.prop(settings, "tolerance")
            box.prop(settings, "swing")
            box.prop(settings, "twist")


class SINEW_PT_check(Tab, bpy.types.Panel):
    bl_idname = "SINEW_PT_check"
    bl_label = "Check"

    def draw(self, context):
        layout, settings = self.layout, context.scene.sinew
        layout.operator("sinew.check", icon="VIEWZOOM")
        if folded(layout, settings, "show_check"):
            layout.prop(settings, "check_bend")
            layout.prop(settings, "check_twist")
            layout.prop(settings, "check_influences")
        if not settings.grade:
            return
        layout.label(text=f"Grade {settings.grade}", icon=GRADE_ICONS.get(settings.grade, "DOT"))
        column = layout.column(align=True)
        for entry in settings.grades:
            row = column.row(align=True)
            row.alignment = "LEFT"
            row.operator("sinew.show_bone", text=f"{entry.grade}  {entry.name}", emboss=False,
                         icon=GRADE_ICONS.get(entry.grade, "DOT")).bone = entry.name


class SINEW_PT_more(Tab, bpy.types.Panel):
    bl_idname = "SINEW_PT_more"
    bl_label = "Clothes, Motion, Cage"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, context.scene.sinew
        layout.operator("sinew.transfer", icon="MOD_CLOTH")
        layout.operator("sinew.retarget", icon="ARMATURE_DATA")
        layout.prop(settings, "hold_feet")
        layout.operator("sinew.cage_bind", icon="MOD_MESHDEFORM")
        layout.prop(settings, "cage_precision")
        layout.prop(settings, "cage_controls")


def menu(self, _context):
    """F3 finds operators that stand in a menu."""
    self.layout.separator()
    for name in ("find_skeleton", "bind", "bake_flesh", "remove_flesh", "check", "transfer", "retarget", "cage_bind"):
        self.layout.operator(f"sinew.{name}")


CLASSES = [SINEW_PT_rig, SINEW_PT_check, SINEW_PT_more]
