# SPDX-License-Identifier: Apache-2.0
"""What operators have in common: run the program beside Blender, show progress, end on Esc, report in words."""
import shutil
import tempfile

import bpy

from . import program
from .preferences import preferences_of
from .program import Failed

NAVIGATION = {"MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "TRACKPADPAN",
              "TRACKPADZOOM", "TIMER_REPORT", "WINDOW_DEACTIVATE"}


class Job:
    """An operator whose `steps(context)` is a generator: it yields commands of the program as lists of words, gets the JSON
    that each printed, changes Blender's data only after the last one, and returns its report. `self.folder` is for its files.

    Buttons run it without blocking the window; scripts that call it get its result when it returns."""

    bl_options = {"REGISTER", "UNDO"}
    part = (0.0, 1.0)  # of the progress bar, for the command at work
    interactive = False

    def steps(self, context):
        raise NotImplementedError

    def execute(self, context):
        try:
            self.begin(context)
            while self.run and not self.interactive:
                self.go_on(self.run.result())
        except Failed as problem:
            return self.fail(context, problem)
        if not self.run:
            return self.succeed(context)
        manager = context.window_manager
        manager.progress_begin(0, 100)
        self.timer = manager.event_timer_add(0.1, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def invoke(self, context, _event):
        self.interactive = not bpy.app.background
        return self.execute(context)

    def modal(self, context, event):
        if event.type == "ESC":
            self.end(context)
            self.report({"WARNING"}, f"{self.bl_label} was cancelled; nothing has changed.")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if event.type in NAVIGATION else {"RUNNING_MODAL"}
        try:
            ended = self.run.poll()
            self.show_progress(context)
            if ended:
                self.go_on(self.run.result())
        except Failed as problem:
            return self.fail(context, problem)
        return {"RUNNING_MODAL"} if self.run else self.succeed(context)

    def cancel(self, context):
        self.end(context)  # Blender closes

    # --- the parts of a run ---

    def begin(self, context):
        self.run, self.timer, self.folder, self.warnings, self.sentence = None, None, None, [], ""
        self.mode = context.mode
        preferences = preferences_of(context)
        self.program = program.find(preferences.program)
        self.threads = ["--threads", preferences.threads] if preferences.threads else []
        self.folder = tempfile.mkdtemp(prefix="sinew-")
        if context.object and context.object.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        self.work = self.steps(context)
        self.go_on(None)

    def go_on(self, answer):
        """Blender's side, up to the next command."""
        if self.run:
            self.warnings += self.run.warnings()
        try:
            words = self.work.send(answer)
        except StopIteration as ended:
            self.run, self.sentence = None, ended.value
            return
        self.run = program.Run(self.program, [*words, *self.threads], self.folder)

    def show_progress(self, context):
        low, high = self.part
        fraction = low + (high - low) * self.run.fraction
        manager = context.window_manager
        manager.progress_update(round(100 * fraction))
        manager.sinew.fraction, manager.sinew.stage = fraction, self.run.stage or self.bl_label
        context.workspace.status_text_set(f"{self.bl_label}: {self.run.stage} {fraction:.0%}    Esc: cancel")
        for area in context.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()

    def end(self, context):
        if self.run:
            self.run.stop()
            self.run = None
        if self.timer:
            manager = context.window_manager
            manager.event_timer_remove(self.timer)
            manager.progress_end()
            manager.sinew.stage = ""
            context.workspace.status_text_set(None)
            self.timer = None
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None
        if getattr(self, "mode", "OBJECT") == "PAINT_WEIGHT" and context.object and context.object.type == "MESH":
            bpy.ops.object.mode_set(mode="WEIGHT_PAINT")

    def fail(self, context, problem):
        self.end(context)
        self.report({"ERROR"}, str(problem))
        return {"CANCELLED"}

    def succeed(self, context):
        self.end(context)
        for warning in self.warnings:
            self.report({"WARNING"}, warning)
        self.report({"INFO"}, self.sentence)
        context.scene.sinew.message = self.sentence
        return {"FINISHED"}


def selected_meshes(context):
    return [item for item in context.selected_objects if item.type == "MESH"]


def armature_of(items):
    """The one that deforms them; None if there is none."""
    for item in items:
        for modifier in item.modifiers:
            if modifier.type == "ARMATURE" and modifier.object:
                return modifier.object
        if item.parent and item.parent.type == "ARMATURE":
            return item.parent
    return None


def chosen_rig(context):
    """(meshes, armature) of the selection: the meshes that are selected, or those of the selected armature."""
    items = selected_meshes(context)
    armature = next((item for item in context.selected_objects if item.type == "ARMATURE"), None) or armature_of(items)
    if armature and not items:
        items = bound_meshes(context, armature)
    if not items:
        raise Failed("Select a mesh first.")
    for item in items:
        check_editable(item)
    return items, armature


def bound_meshes(context, armature):
    return [item for item in context.view_layer.objects if item.type == "MESH" and item.visible_get() and
            any(m.type == "ARMATURE" and m.object == armature for m in item.modifiers)]


def check_editable(item):
    if item.library or item.data.library:
        raise Failed(f"{item.name} is linked from another file. Make it local or override it first.")


def wanted(context):
    """For poll: whether something is selected that operators work on."""
    return any(item.type in ("MESH", "ARMATURE") for item in context.selected_objects)
