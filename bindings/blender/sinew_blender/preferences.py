# SPDX-License-Identifier: Apache-2.0
import bpy

from . import program


class SinewPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    program: bpy.props.StringProperty(
        name="Program", subtype="FILE_PATH", default="",
        description="The program sinew, or the folder that holds it. Empty: the one beside the add-on, that of the Python "
                    "package, or the one in PATH")
    threads: bpy.props.IntProperty(
        name="Threads", default=0, min=0, max=1024,
        description="Threads that the program may use; 0 uses all cores. Results do not depend on it")

    def draw(self, _context):
        column = self.layout.column()
        column.prop(self, "program")
        column.prop(self, "threads")
        try:
            path = program.find(self.program)
            column.label(text=f"{program.version(path)}: {path}", icon="CHECKMARK")
        except program.Failed as problem:
            column.label(text=str(problem), icon="ERROR")


class Unset:
    """Where the add-on was registered by a script instead of the preferences."""
    program, threads = "", 0


def preferences_of(context):
    addon = context.preferences.addons.get(__package__)
    return addon.preferences if addon and addon.preferences else Unset


CLASSES = [SinewPreferences]
