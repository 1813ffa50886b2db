# SPDX-License-Identifier: Apache-2.0
# Plays clips of .glb files that Godot 3 imported and writes where their vertices went, for
# tests/repo/engines_test.py to compare.
#
# usage: godot3-server --path PROJECT --script judge_godot.gd
#
# PROJECT/jobs.json is [{"file", "clip", "moments": [{"time", "output"}]}]; an output is one "x y z" line a vertex.
extends SceneTree


func _initialize():
	var file = File.new()
	file.open("res://jobs.json", File.READ)
	var jobs = JSON.parse(file.get_as_text()).result
	file.close()
	for job in jobs:
		var scene = load("res://" + job["file"]).instance()
		root.add_child(scene)
		var player = find(scene, "AnimationPlayer")[0]
		for moment in job["moments"]:
			player.play(job["clip"])
			player.seek(moment["time"], true)
			write(moment["output"], vertices(scene))
		root.remove_child(scene)
		scene.free()
	print("judged")
	quit()


func find(node, kind):
	var found = [node] if node.is_class(kind) else []
	for child in node.get_children():
		found += find(child, kind)
	return found


func vertices(scene):
	var all = []
	for item in find(scene, "MeshInstance"):
		var skeleton = item.get_node(item.skeleton)
		var bones = []
		for b in range(item.skin.get_bind_count()):
			var bone = item.skin.get_bind_bone(b)
			if item.skin.get_bind_name(b) != "":
				bone = skeleton.find_bone(item.skin.get_bind_name(b))
			bones.append(skeleton.global_transform * skeleton.get_bone_global_pose(bone) * item.skin.get_bind_pose(b))
		for surface in range(item.mesh.get_surface_count()):
			all += skinned(item, surface, bones)
	return all


# Blend shapes, then linear blending of the bones, as the engine's own shaders do.
func skinned(item, surface, bones):
	var arrays = item.mesh.surface_get_arrays(surface)
	var shapes = item.mesh.surface_get_blend_shape_arrays(surface)
	var normalized = item.mesh.blend_shape_mode == Mesh.BLEND_SHAPE_MODE_NORMALIZED
	var weights = []
	for m in range(shapes.size()):
		weights.append(item.get("blend_shapes/" + item.mesh.get_blend_shape_name(m)))
	var points = []
	for i in range(arrays[Mesh.ARRAY_VERTEX].size()):
		var rest = arrays[Mesh.ARRAY_VERTEX][i]
		var p = rest
		for m in range(shapes.size()):
			var shape = shapes[m][Mesh.ARRAY_VERTEX][i]
			p += weights[m] * (shape - rest if normalized else shape)
		var sum = Vector3()
		for s in range(4):
			var w = arrays[Mesh.ARRAY_WEIGHTS][4 * i + s]
			if w != 0:
				sum += w * bones[arrays[Mesh.ARRAY_BONES][4 * i + s]].xform(p)
		points.append(sum)
	return points


func write(path, points):
	var file = File.new()
	file.open(path, File.WRITE)
	for p in points:
		file.store_line("%.7f %.7f %.7f" % [p.x, p.y, p.z])
	file.close()
