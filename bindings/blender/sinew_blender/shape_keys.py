# SPDX-License-Identifier: Apache-2.0
"""Corrective shapes as shape keys whose drivers read the bones. Expressions are of the kind that Blender evaluates itself:
files play without the add-on and without running scripts."""
import numpy as np

from .pose_samples import expression
from .program import Failed

PREFIX = "sinew "
TURN = "sinew_turn"  # of a pose bone: its x, twist and z, within the range


def check_keys(item):
    """Refuses what shape keys cannot live with."""
    if item.data.users > 1:
        raise Failed(f"The mesh of {item.name} is shared with other objects. Make it single user first "
                     "(Object > Relations > Make Single User).")
    if item.data.shape_keys and not item.data.shape_keys.use_relative:
        raise Failed(f"The shape keys of {item.name} are absolute. Flesh needs relative ones.")
    if any(modifier.type == "MIRROR" for modifier in item.modifiers):
        raise Failed(f"{item.name} has a Mirror modifier: its shape keys would bend both sides at once. Apply it first.")


def remove_keys(item):
    keys = item.data.shape_keys
    if not keys:
        return 0
    ours = [key for key in keys.key_blocks if key.name.startswith(PREFIX)]
    for key in ours:
        key.driver_remove("value")
        item.shape_key_remove(key)
    for name in [name for name in keys.keys() if name.startswith("sinew_")] if ours else []:
        keys.driver_remove(f'["{name}"]')
        del keys[name]
    if ours and item.data.shape_keys and len(item.data.shape_keys.key_blocks) == 1:
        item.shape_key_clear()  # the basis that we added, or one that nothing needs
    return len(ours)


def drive_bones(armature, bones, swing, twist):
    """Gives these bones the property that shape keys read."""
    for name in bones:
        bone = armature.pose.bones[name]
        bone[TURN] = [0.0, 0.0, 0.0]
        path = f'pose.bones["{name}"]["{TURN}"]'
        armature.driver_remove(path)
        texts = (f"v*min(1,{swing:.7g}/max(w,.001))", f"max({-twist:.7g},min({twist:.7g},v))",
                 f"v*min(1,{swing:.7g}/max(w,.001))")
        for index, (channel, text) in enumerate(zip(("ROT_X", "ROT_Y", "ROT_Z"), texts)):
            driver = armature.driver_add(path, index).driver
            add_rotation(driver, "v", armature, name, channel)
            if "w" in text:
                add_rotation(driver, "w", armature, name, "ROT_W")
            driver.expression = text


def add_rotation(driver, variable, armature, bone, channel):
    entry = driver.variables.new()
    entry.name, entry.type = variable, "TRANSFORMS"
    target = entry.targets[0]
    target.id, target.bone_target, target.transform_type = armature, bone, channel
    target.rotation_mode, target.transform_space = "SWING_TWIST_Y", "LOCAL_SPACE"


def add_key(item, name, vertices, deltas):
    """A shape key that moves these vertices, in object space."""
    if not item.data.shape_keys:
        item.shape_key_add(name="Basis", from_mix=False)
    key = item.shape_key_add(name=name, from_mix=False)
    flat = np.empty(3 * len(item.data.vertices), np.float32)
    item.data.shape_keys.reference_key.data.foreach_get("co", flat)
    flat = flat.reshape(-1, 3)
    flat[vertices] += deltas
    key.relative_key = item.data.shape_keys.reference_key
    key.data.foreach_set("co", flat.ravel())
    key.slider_min, key.slider_max, key.value = -10, 10, 0
    return key


def drive_key(item, key, armature, bone, coefficients, swing, twist):
    first, *others = expression(coefficients, swing, twist)
    keys = item.data.shape_keys
    names = []
    for number, text in enumerate(others):
        name = f"sinew_{key.name[len(PREFIX):]}_{number}".replace(" ", "_").replace('"', "")
        keys[name] = 0.0
        add_turns(keys.driver_add(f'["{name}"]').driver, armature, bone, text)
        names.append(name)
    driver = key.driver_add("value").driver
    for number, name in enumerate(names):
        entry = driver.variables.new()
        entry.name, entry.type = f"p{number}", "SINGLE_PROP"
        target = entry.targets[0]
        target.id_type, target.id, target.data_path = "KEY", keys, f'["{name}"]'
    add_turns(driver, armature, bone, first + "".join(f"+p{number}" for number in range(len(names))))


def add_turns(driver, armature, bone, text):
    for index, variable in enumerate("xyz"):
        entry = driver.variables.new()
        entry.name, entry.type = variable, "SINGLE_PROP"
        target = entry.targets[0]
        target.id, target.data_path = armature, f'pose.bones["{bone}"]["{TURN}"][{index}]'
    driver.expression = text or "0"


def write_shapes(flesh, armature):
    """All correctives of the fit on their meshes. Returns how many keys there are."""
    exchange, count = flesh.exchange, 0
    for item in (shape.item for shape in exchange.shapes):
        remove_keys(item)
    drive_bones(armature, sorted({exchange.bones[c.bone] for c in flesh.shapes}), flesh.swing, flesh.twist)
    number = {}
    for corrective in flesh.shapes:
        bone = exchange.bones[corrective.bone]
        number[bone] = number.get(bone, 0) + 1
        for mesh, shape in enumerate(exchange.shapes):
            first, last = exchange.starts[mesh], exchange.starts[mesh + 1]
            own = (corrective.vertices >= first) & (corrective.vertices < last)
            if np.abs(corrective.deltas[own]).max(initial=0) < 1e-6 * exchange.size:
                continue
            back = np.linalg.inv(exchange.to_file[mesh][:3, :3])
            key = add_key(shape.item, f"{PREFIX}{bone} {number[bone]}", corrective.vertices[own] - first,
                          corrective.deltas[own] @ back.T)
            drive_key(shape.item, key, armature, bone, corrective.coefficients, flesh.swing, flesh.twist)
            count += 1
    return count
