// SPDX-License-Identifier: Apache-2.0
// The three.js runtime in a real browser, against the program: what its shaders make of rigs, crowds, rays, shadows, a lost
// context, and files that it cannot or must not draw.
// usage: node run.mjs PROGRAM WASM [NAME ...]    WASM: the folder of sinew.wasm; NAME: tests to run
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { check } from '../browser/harness.mjs';
import { inThreePage } from '../browser/three_page.mjs';
import { buildPackage, checkNear, DATA, hasData, HERE, poseNatively, readPly } from './support.mjs';

const [program, wasm, ...only] = process.argv.slice(2);
const hasWasm = existsSync(join(wasm, 'sinew.wasm'));
const ARM = ['--set', 'ForeArm=0,-60,20', '--set', 'UpperArm=20,10,-40', '--set', 'Hand=bend:40,twist:70'];
const BEND = ['--set', 'ForeArm=0,-80,0'];

/** The JSON of a .glb changed. */
function edit(from, to, change) {
  const bytes = readFileSync(from), length = bytes.readUInt32LE(12), json = JSON.parse(bytes.subarray(20, 20 + length));
  change(json);
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 32)]);
  const head = Buffer.alloc(20), rest = bytes.subarray(20 + length);
  [0x46546c67, 2, 20 + text.length + rest.length, text.length, 0x4e4f534a].forEach((word, k) => head.writeUInt32LE(word, 4 * k));
  writeFileSync(to, Buffer.concat([head, text, rest]));
}

/** Files of each deformer behind common, and its call. */
const SNIPPETS = {
  lbs: [['lbs'], 'sinew_lbs(FIRST, COUNT, rest)'],
  dqs: [['dqs'], 'sinew_dqs(FIRST, COUNT, rest)'],
  'swing-twist': [['joint'], 'sinew_joint(FIRST, COUNT, rest)'],
  'stretch-lbs': [['dqs', 'joint', 'stretch'], 'sinew_stretch_lbs(FIRST, COUNT, rest)'],
  'stretch-dqs': [['dqs', 'joint', 'stretch'], 'sinew_stretch_dqs(FIRST, COUNT, rest)'],
  flesh: [['flesh'], 'sinew_flesh(FIRST, rows.y, rest)'],
};

/** A deformer over all vertices, in WGSL; HLSL goes there by SPIR-V. Null where a compiler is missing. */
function computeShader(native, language, deformer) {
  const [files, call] = SNIPPETS[deformer], read = (...path) => readFileSync(join(HERE, '../../shaders', ...path), 'utf8');
  const text = read('host', `host.${language}`) + ['common', ...files].map((name) => read(language, `${name}.${language}`)).join('\n');
  if (language === 'wgsl')
    return `${text}
@group(0) @binding(4) var<storage, read> rests: array<f32>;
@group(0) @binding(5) var<storage, read> vertex_rows: array<vec2u>;
@group(0) @binding(6) var<storage, read_write> made: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&vertex_rows)) { return; }
  let rows = vertex_rows[i];
  var rest: SinewVertex;
  rest.position = vec3f(rests[6 * i], rests[6 * i + 1], rests[6 * i + 2]);
  rest.normal = vec3f(rests[6 * i + 3], rests[6 * i + 4], rests[6 * i + 5]);
  let moved = ${call.replace('FIRST', 'i32(rows.x)').replace('COUNT', 'i32(rows.y)')};
  for (var c = 0u; c < 3u; c += 1u) {
    made[6 * i + c] = moved.position[c];
    made[6 * i + 3 + c] = moved.normal[c];
  }
}`;
  const file = native.path('compute.hlsl');
  writeFileSync(file, `${text}
StructuredBuffer<float> rests : register(t4);
StructuredBuffer<uint2> vertex_rows : register(t5);
RWStructuredBuffer<float> made : register(u6);
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint i = id.x, count, stride;
  vertex_rows.GetDimensions(count, stride);
  if (i >= count) return;
  uint2 rows = vertex_rows[i];
  SinewVertex rest;
  rest.position = float3(rests[6 * i], rests[6 * i + 1], rests[6 * i + 2]);
  rest.normal = float3(rests[6 * i + 3], rests[6 * i + 4], rests[6 * i + 5]);
  SinewVertex moved = ${call.replace('FIRST', 'int(rows.x)').replace('COUNT', 'int(rows.y)')};
  for (uint c = 0; c < 3; ++c) {
    made[6 * i + c] = moved.position[c];
    made[6 * i + 3 + c] = moved.normal[c];
  }
}`);
  const compile = (...words) => spawnSync(words[0], words.slice(1), { encoding: 'utf8' });
  const made = compile('glslangValidator', '-D', '-S', 'comp', '-e', 'main', '-V', '--sub', 'comp', '3', '-o', `${file}.spv`, file), back = made.error ? made : compile('naga', `${file}.spv`, `${file}.wgsl`);
  if (made.error || back.error) return null;
  check(made.status === 0 && back.status === 0, `${deformer} in HLSL:\n${made.stdout}${back.stderr}`);
  return readFileSync(`${file}.wgsl`, 'utf8');
}

const posed = (tab, file, options = {}, clip, time) => tab.evaluate(([f, o, c, t]) => window.posed(f, o, c, t), [file, options, clip, time]);

const tests = {
  async 'every deformer of an arm'(tab, native) {
    for (const deformer of ['lbs', 'dqs', 'swing-twist', 'joint-dqs', 'stretch-lbs', 'stretch-dqs', 'flesh']) {
      const wanted = poseNatively(native, native.path('arm.glb'), 'pose', deformer, ...ARM);
      for (const pass of [false, true]) {
        const made = await posed(tab, 'pose.glb', { deformer, pass });
        check(made.notes.length === 0 && made.info.deformer === deformer && made.info.runsOn === 'shader', `${deformer} runs as ${JSON.stringify(made.info)}`);
        checkNear(made, wanted, `${deformer}${pass ? ' in a pass' : ''}`);
      }
    }
  },

  async 'the snippets in WGSL and HLSL'(tab, native) {
    for (const deformer of Object.keys(SNIPPETS)) {
      const wanted = poseNatively(native, native.path('arm.glb'), 'pose', deformer, ...ARM);
      for (const language of ['wgsl', 'hlsl']) {
        const code = computeShader(native, language, deformer);
        if (!code) {
          console.log('HLSL skipped: glslangValidator or naga is not installed');
          continue;
        }
        const made = await tab.evaluate(([name, text]) => window.computed('pose.glb', name, text), [deformer, code]);
        if (!made) return console.log('skipped: this browser has no WebGPU');
        checkNear(made, wanted, `${deformer} in ${language}`);
      }
    }
    return undefined;
  },

  async 'the snippets of roll joints and keys'(tab) {
    const read = (...path) => readFileSync(join(HERE, '../../shaders', ...path), 'utf8'), main = (body) => `
@group(0) @binding(4) var<storage, read> given: array<f32>;
@group(0) @binding(6) var<storage, read_write> made: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&made) / 8u) { return; }
  ${body}
}`;
    // A swing by a and a twist by b about z: shares of both, in closed form.
    const given = [], wanted = [], product = (p, q) => [p[3] * q[0] + q[3] * p[0] + p[1] * q[2] - p[2] * q[1], p[3] * q[1] + q[3] * p[1] + p[2] * q[0] - p[0] * q[2], p[3] * q[2] + q[3] * p[2] + p[0] * q[1] - p[1] * q[0], p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]];
    const turn = (a, d, b) => product([Math.sin(a / 2) * Math.cos(d), Math.sin(a / 2) * Math.sin(d), 0, Math.cos(a / 2)], [0, 0, Math.sin(b / 2), Math.cos(b / 2)]);
    for (let k = 0; k < 100; ++k) {
      const [a, d, b, s, t] = [3 * ((k * 0.37) % 1), 6.28 * ((k * 0.71) % 1), 6 * ((k * 0.53) % 1) - 3, (k * 0.29) % 1, (k * 0.83) % 1], sign = k % 3 ? 1 : -1;
      given.push(...turn(a, d, b).map((v) => sign * v), s, t, 0, 0);
      wanted.push(turn(s * a, d, t * b));
    }
    const rolled = await tab.evaluate(([code, list]) => window.computeLists(code, { 4: list }, 800, 100), [
      read('host/host.wgsl') + read('wgsl/common.wgsl') + read('wgsl/roll.wgsl') + main('let q = sinew_roll(vec4f(given[8 * i], given[8 * i + 1], given[8 * i + 2], given[8 * i + 3]), vec3f(0.0, 0.0, 1.0), given[8 * i + 4], given[8 * i + 5]);\n  for (var c = 0u; c < 4u; c += 1u) { made[8 * i + c] = q[c]; }'),
      given,
    ]);
    if (!rolled) return console.log('skipped: this browser has no WebGPU');
    const agree = wanted.map((q, k) => Math.abs(q.reduce((sum, v, c) => sum + v * rolled[8 * k + c], 0)));
    check(Math.min(...agree) > 1 - 1e-5, `rolled ${Math.min(...agree)}`);

    // Two keys of three vertices: positions add up, normals are of unit length.
    const keys = Array.from({ length: 2 * 3 * 8 }, (_, k) => Math.sin(k)), palette = [0, 0, 0, 0, 1, 0.25, 0, 0, 0, -0.5, 0, 0], rests = Array.from({ length: 24 }, (_, k) => Math.cos(k));
    const moved = await tab.evaluate(([code, lists]) => window.computeLists(code, lists, 24, 3), [
      read('host/host.wgsl') + read('wgsl/common.wgsl') + read('wgsl/keys.wgsl') + main('var rest: SinewVertex;\n  rest.position = vec3f(given[8 * i], given[8 * i + 1], given[8 * i + 2]);\n  rest.normal = vec3f(given[8 * i + 3], given[8 * i + 4], given[8 * i + 5]);\n  let moved = sinew_keys(i32(i), 3, 1, 2, rest);\n  for (var c = 0u; c < 3u; c += 1u) { made[8 * i + c] = moved.position[c]; made[8 * i + 3 + c] = moved.normal[c]; }'),
      { 0: palette, 2: keys, 3: { whole: [0, 0, 0, 0] }, 4: rests },
    ]);
    for (let i = 0; i < 3; ++i) {
      const at = (key, c) => keys[4 * 2 * (key * 3 + i) + c], six = [0, 1, 2, 4, 5, 6].map((c, n) => rests[8 * i + n] + 0.25 * at(1, c) - 0.5 * at(0, c)), length = Math.hypot(...six.slice(3));
      six.forEach((v, c) => check(Math.abs(moved[8 * i + c] - (c < 3 ? v : v / length)) < 1e-5, `keys: ${moved[8 * i + c]} for ${v}`));
    }
    return undefined;
  },

  async 'bones that stretch and twist along themselves'(tab, native) {
    for (const deformer of ['stretch-lbs', 'stretch-dqs', 'flesh']) {
      const wanted = poseNatively(native, native.path('arm.glb'), 'pose', deformer, ...BEND, '--stretch', 'ForeArm=1.4', '--twist', 'ForeArm=10,80', '--twist', 'Hand=-200,400');
      checkNear(await posed(tab, 'pose.glb', { deformer }), wanted, deformer);
    }
  },

  async 'joints that blend in other ways, and scaled joints'(tab, native) {
    edit(native.path('arm.glb'), native.path('blends.glb'), (json) => {
      json.extensions.SINEW_rig.joints.blends = [{ node: json.nodes.findIndex((n) => n.name === 'ForeArm'), blend: 'angle' }, { node: json.nodes.findIndex((n) => n.name === 'Hand'), blend: 'mix' }];
    });
    checkNear(await posed(tab, (poseNatively(native, native.path('blends.glb'), 'pose', 'swing-twist', ...ARM), 'pose.glb'), { deformer: 'swing-twist' }), readPly(native.path('pose.ply')), 'angle and mix');
    // The twist of a mirrored joint may be half a turn either way, so those that have one are scaled alone.
    for (const [scale, ...names] of [[[1.3, 0.8, -1.1], 'lbs', 'dqs'], [[1.3, 0.8, 1.1], 'swing-twist', 'stretch-lbs', 'stretch-dqs', 'flesh']]) {
      edit(native.path('arm.glb'), native.path('scaled.glb'), (json) => { json.nodes.find((n) => n.name === 'ForeArm').scale = scale; });
      for (const deformer of names) {
        const wanted = poseNatively(native, native.path('scaled.glb'), 'pose', deformer, '--set', 'UpperArm=10,20,30');
        checkNear(await posed(tab, 'pose.glb', { deformer }), wanted, `${deformer}, scaled by ${scale}`);
      }
    }
  },

  async 'keys before the skeleton'(tab, native) {
    native.run('pose', native.path('arm.glb'), '--deformer', 'arap', '--handle', '300=0.5,0.3,0.2', '--key-name', 'bulge', '-o', native.path('keyed.glb'));
    for (const deformer of ['flesh', 'dqs']) {
      const wanted = poseNatively(native, native.path('keyed.glb'), 'pose', deformer, ...ARM, '--key', 'bulge=0.7');
      checkNear(await posed(tab, 'pose.glb', { deformer }), wanted, `${deformer} with a key`);
    }
  },

  async 'roll joints, helpers and keys that bones drive'(tab, native) {
    native.run('export', native.path('arm.glb'), '--for', 'web', '--deformer', 'swing-twist', '--reference', '0', '-o', native.path('exported.glb'));
    const wanted = poseNatively(native, native.path('exported.glb'), 'bones', 'lbs', ...ARM);
    // Only the bones are posed: what follows them is up to the runtime.
    const made = await tab.evaluate(async () => {
      const [{ gltf }, { gltf: other }] = await Promise.all([window.load('exported.glb'), window.load('bones.glb')]);
      gltf.scene.traverse((bone) => {
        if (!bone.isBone || !['UpperArm', 'ForeArm', 'Hand'].includes(bone.name)) return;
        const from = other.scene.getObjectByName(bone.name);
        bone.position.copy(from.position);
        bone.quaternion.copy(from.quaternion);
      });
      const scene = new THREE.Scene();
      scene.add(gltf.scene);
      scene.updateMatrixWorld(true);
      const [mesh] = window.meshesOf(gltf.scene), [{ positions, normals }] = window.readBack(scene, [mesh]);
      return { positions: [...positions], normals: [...normals] };
    });
    checkNear(made, wanted, 'an exported arm');
  },

  async 'files of others, and clips played by three'(tab, native) {
    if (!hasData) return console.log('skipped: the test data is not here');
    const file = (name) => join(DATA, 'rigged_gltf', name);
    native.run('rig', file('CesiumMan.glb'), '--voxels', '24', '--tolerance', '1.5', '--method', 'envelope', '-o', native.path('cesium.glb'));
    native.run('rig', file('Fox.glb'), '--voxels', '24', '--tolerance', '1.3', '--method', 'envelope', '--joint-weights', 'skin', '-o', native.path('fox.glb'));
    for (const [name, rig, deformer] of [
      ['cesium', native.path('cesium.glb'), 'flesh'],
      ['cesium', native.path('cesium.glb'), 'stretch-lbs'],
      ['fox', native.path('fox.glb'), 'flesh'],
      ['fox', native.path('fox.glb'), 'swing-twist'],
      ['fox', native.path('fox.glb'), 'stretch-dqs'],
      ['plain fox', file('Fox.glb'), 'dqs'],
      ['skinned and rigid parts', file('RobotExpressive.glb'), 'dqs'],
      ['weights that are no numbers', file('q_Wasp_NaN_weights.glb'), 'lbs'],
    ]) {
      copyFileSync(rig, native.path('clip.glb'));
      native.run('pose', rig, '--deformer', deformer, '--clip', '0', '--time', '0.37', '-o', native.path('clip.ply'));
      checkNear(await posed(tab, 'clip.glb', { deformer }, 0, 0.37), readPly(native.path('clip.ply')), `${name}, ${deformer}`);
    }
    for (const [name, ...pose] of [['mh_neutral.glb', '--set', 'upperarm_l=20,30,40', '--set', 'thigh_r=-40,0,20'], ['assimp_quad_skin_3sets.glb'], ['RiggedFigure.glb']]) {
      const wanted = poseNatively(native, file(name), 'other', 'dqs', ...pose), made = await posed(tab, 'other.glb', { deformer: 'dqs' });
      checkNear(made, wanted, name);
    }
  },

  async 'a crowd is as its members alone'(tab, native) {
    copyFileSync(native.path('arm.glb'), native.path('clips.glb'));
    for (const deformer of ['flesh', 'swing-twist']) {
      const crowd = await tab.evaluate(async (name) => {
        const { gltf } = await window.load('clips.glb', { deformer: name });
        const mixer = new THREE.AnimationMixer(gltf.scene), scene = new THREE.Scene(), many = new window.SinewCrowd(gltf.scene, 5);
        mixer.clipAction(gltf.animations[0]).play();
        for (let i = 0; i < 5; ++i) {
          mixer.setTime(0.2 * i + 0.1);
          many.setPoseAt(i);
          many.setMatrixAt(i, new THREE.Matrix4().setPosition(2 * i, 0, 0));
        }
        scene.add(many);
        const [mesh] = many.children, [{ positions, normals }] = window.readBack(scene, [mesh]);
        // A ray from the front to the vertex of place 3 that faces it most.
        scene.updateMatrixWorld(true);
        const n = mesh.geometry.attributes.position.count;
        let v = 0;
        for (let i = 0; i < n; ++i) if (normals[3 * (3 * n + i) + 2] > normals[3 * (3 * n + v) + 2]) v = i;
        const at = new THREE.Vector3().fromArray(positions, 3 * (3 * n + v)).add(new THREE.Vector3(6, 0, 0));
        const hits = new THREE.Raycaster(at.clone().add(new THREE.Vector3(1e-4, 1e-4, 5)), new THREE.Vector3(0, 0, -1)).intersectObject(many, true);
        window.renderer.info.reset();
        window.renderer.render(scene, new THREE.PerspectiveCamera());
        return { positions: [...positions], normals: [...normals], instance: hits[0]?.instanceId, calls: window.renderer.info.render.calls, off: Math.min(...hits.map((hit) => Math.hypot(hit.point.x - at.x, hit.point.y - at.y, hit.point.z - at.z))) };
      }, deformer);
      for (let i = 0; i < 5; ++i) {
        native.run('pose', native.path('arm.glb'), '--deformer', deformer, '--clip', '0', '--time', (0.2 * i + 0.1).toFixed(3), '-o', native.path('one.ply'));
        const wanted = readPly(native.path('one.ply')), n = wanted.positions.length;
        checkNear({ positions: crowd.positions.slice(i * n, i * n + n), normals: crowd.normals.slice(i * n, i * n + n) }, wanted, `${deformer}, place ${i}`);
      }
      check(crowd.instance === 3 && crowd.off < 1e-3, `the ray meets ${crowd.instance}, ${crowd.off} from the vertex`);
      check(crowd.calls <= 2, `${crowd.calls} draws for a crowd`);
    }
  },

  async 'a clone has a pose of its own'(tab, native) {
    copyFileSync(native.path('arm.glb'), native.path('clips.glb'));
    const made = await tab.evaluate(async () => {
      const { gltf } = await window.load('clips.glb'), other = window.clone(gltf.scene), scene = new THREE.Scene();
      scene.add(gltf.scene, other);
      return [gltf.scene, other].map((root, k) => {
        const mixer = new THREE.AnimationMixer(root);
        mixer.clipAction(gltf.animations[0]).play();
        mixer.setTime(0.3 + 0.5 * k);
        return root;
      }).map((root) => {
        const [{ positions, normals }] = window.readBack(scene, window.meshesOf(root));
        return { positions: [...positions], normals: [...normals] };
      });
    });
    made.forEach((one, k) => {
      native.run('pose', native.path('arm.glb'), '--clip', '0', '--time', (0.3 + 0.5 * k).toFixed(1), '-o', native.path('one.ply'));
      checkNear(one, readPly(native.path('one.ply')), k ? 'the clone' : 'the first');
    });
  },

  async 'fields that two joints drive'(tab, native) {
    edit(native.path('arm.glb'), native.path('both.glb'), (json) => {
      const { flesh } = json.extensions.SINEW_rig;
      flesh.version = 3;
      flesh.fields[0].partner = { node: flesh.fields.at(-1).node, swing: 1, twist: 0.7 };
    });
    for (const hand of [[], ['--set', 'Hand=30,20,40'], ['--set', 'Hand=-20,60,-80']]) {
      const wanted = poseNatively(native, native.path('both.glb'), 'pose', 'flesh', ...BEND, ...hand);
      checkNear(await posed(tab, 'pose.glb', { deformer: 'flesh' }), wanted, `both joints, ${hand}`);
    }
  },

  async 'rays meet what is drawn'(tab, native) {
    const wanted = poseNatively(native, native.path('arm.glb'), 'pose', 'flesh', ...BEND);
    const { rays, triangles } = await tab.evaluate(async () => {
      const { gltf } = await window.load('pose.glb');
      gltf.scene.position.set(0.5, 1, 0);
      const scene = new THREE.Scene();
      scene.add(gltf.scene);
      scene.updateMatrixWorld(true);
      const [mesh] = window.meshesOf(gltf.scene), list = [];
      for (let x = 0; x < 28; ++x)
        for (let y = 0; y < 28; ++y) {
          const from = new THREE.Vector3(0.5 + 0.03 * x, 0.6 + 0.03 * y, 3), hit = new THREE.Raycaster(from, new THREE.Vector3(0, 0, -1)).intersectObject(gltf.scene, true)[0];
          list.push({ x: from.x - 0.5, y: from.y - 1, z: hit ? hit.point.z : null });
        }
      return { rays: list, triangles: [...mesh.geometry.index.array] };
    });
    // Against the program's vertices: the nearest triangle along -z.
    const p = wanted.positions;
    let met = 0;
    for (const ray of rays) {
      let z = null, edge = false;
      for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[t + k]);
        const area = (p[b] - p[a]) * (p[c + 1] - p[a + 1]) - (p[c] - p[a]) * (p[b + 1] - p[a + 1]);
        if (Math.abs(area) < 1e-12) continue;
        const u = ((p[b] - ray.x) * (p[c + 1] - ray.y) - (p[c] - ray.x) * (p[b + 1] - ray.y)) / area, v = ((p[c] - ray.x) * (p[a + 1] - ray.y) - (p[a] - ray.x) * (p[c + 1] - ray.y)) / area, w = 1 - u - v;
        edge ||= Math.min(u, v, w) > -1e-3 && Math.min(u, v, w) < 1e-3;
        if (area > 0 && Math.min(u, v, w) >= 0) z = Math.max(z ?? -Infinity, u * p[a + 2] + v * p[b + 2] + w * p[c + 2]);
      }
      if (edge) continue;
      met += z !== null;
      check((z === null) === (ray.z === null) && (z === null || Math.abs(z - ray.z) < 1e-5), `at ${ray.x}, ${ray.y}: ${ray.z} for ${z}`);
    }
    check(met > 30, `${met} rays met the arm`);
  },

  async 'shadows are those of the deformed shape'(tab, native) {
    for (const [deformer, light] of [['flesh', 'sun'], ['flesh', 'lamp'], ['dqs', 'sun']]) {
      const wanted = poseNatively(native, native.path('arm.glb'), 'pose', deformer, ...BEND);
      const shares = await tab.evaluate(async ([name, kind, positions]) => {
        const { renderer } = window;
        renderer.setSize(128, 128, false);
        renderer.shadowMap.enabled = true;
        const floor = new THREE.Mesh(new THREE.PlaneGeometry(4, 4), new THREE.MeshLambertMaterial({ color: 0xffffff }));
        floor.position.z = -0.5;
        floor.receiveShadow = true;
        const lamp = kind === 'sun' ? new THREE.DirectionalLight(0xffffff, 3) : new THREE.PointLight(0xffffff, 30);
        lamp.position.set(0.3, 0.4, 2);
        lamp.castShadow = true;
        if (kind === 'sun') Object.assign(lamp.shadow.camera, { left: -1, right: 1, top: 1, bottom: -1 });
        const camera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.1, 10);
        camera.position.set(0.3, -0.1, 3);
        const picture = (object, casts) => {
          const scene = new THREE.Scene();
          scene.add(floor, lamp, object);
          object.traverse((o) => { o.castShadow = casts; });
          renderer.render(scene, camera);
          const pixels = new Uint8Array(4 * 128 * 128);
          window.gl.readPixels(0, 0, 128, 128, window.gl.RGBA, window.gl.UNSIGNED_BYTE, pixels);
          scene.remove(object);
          return pixels;
        };
        const { gltf } = await window.load('pose.glb', { deformer: name });
        const [mesh] = window.meshesOf(gltf.scene), still = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ color: 0 }));
        still.geometry.setAttribute('position', new THREE.BufferAttribute(Float32Array.from(positions), 3));
        still.geometry.setIndex(mesh.geometry.index.clone());
        mesh.material = new THREE.MeshBasicMaterial({ color: 0 });
        const made = picture(gltf.scene, true), same = picture(still, true), none = picture(still, false);
        renderer.shadowMap.enabled = false;
        const count = (a, b) => { let n = 0; for (let i = 0; i < a.length; i += 4) if (Math.abs(a[i] - b[i]) > 40) ++n; return n; };
        return { off: count(made, same), dark: count(same, none), drawn: count(same, picture(new THREE.Group(), false)) };
      }, [deformer, light, wanted.positions]);
      console.log(`${deformer}, ${light}: ${shares.dark} pixels of shadow, ${shares.drawn} with the shape, ${shares.off} differ`);
      check(shares.dark > 100 && shares.off <= 0.01 * shares.drawn, `${deformer}, ${light}: ${shares.off} of ${shares.drawn} pixels differ`);
    }
  },

  async 'a lost context comes back'(tab, native) {
    poseNatively(native, native.path('arm.glb'), 'pose', 'flesh', ...BEND);
    for (const deformer of ['flesh', 'swing-twist']) {
      const { before, lost, after, drawn } = await tab.evaluate(async (name) => {
        const { renderer, gl } = window;
        renderer.setSize(64, 64, false);
        const { gltf } = await window.load('pose.glb', { deformer: name }), scene = new THREE.Scene(), camera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.1, 10);
        camera.position.set(0.3, 0, 3);
        scene.add(gltf.scene, new THREE.AmbientLight(0xffffff, 3));
        const picture = () => {
          renderer.render(scene, camera);
          const pixels = new Uint8Array(4 * 64 * 64);
          gl.readPixels(0, 0, 64, 64, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
          return [...pixels];
        };
        const first = picture(), extension = gl.getExtension('WEBGL_lose_context'), canvas = renderer.domElement;
        const gone = new Promise((done) => canvas.addEventListener('webglcontextlost', done, { once: true }));
        extension.loseContext();
        await gone;
        const dark = picture();
        const back = new Promise((done) => canvas.addEventListener('webglcontextrestored', done, { once: true }));
        await new Promise((done) => setTimeout(done, 50));
        extension.restoreContext();
        await back;
        return { before: first, lost: dark.some(Boolean), after: picture(), drawn: first.filter((v, k) => k % 4 === 0 && v > 0).length };
      }, deformer);
      check(drawn > 30 && !lost, `${drawn} pixels were drawn; with no context ${lost}`);
      check(before.every((v, k) => Math.abs(v - after[k]) <= 1), `${deformer}: another picture after the context came back`);
    }
  },

  async 'stacks that no shader runs'(tab, native) {
    native.run('stack', native.path('arm.glb'), '--order', 'keys,skeleton,mush', '--deformer', 'swing-twist', '-o', native.path('soft.glb'));
    native.run('pose', native.path('soft.glb'), '--clip', '1', '--time', '0.7', '-o', native.path('soft.ply'));
    const plain = await posed(tab, 'soft.glb', {}, 1, 0.7);
    check(plain.info.deformer === 'lbs' && /mush.*linear blend skinning/.test(plain.notes[0]), `without WebAssembly: ${JSON.stringify(plain.info)}`);
    if (!hasWasm) return console.log('skipped: WebAssembly is not built, ./dev page builds it');
    const made = await tab.evaluate(async () => window.posed('soft.glb', { core: async () => (await import('@sinew/web/core')).default() }, 1, 0.7));
    check(made.info.runsOn === 'webassembly' && /mush/.test(made.notes[0]), JSON.stringify(made.info));
    checkNear(made, readPly(native.path('soft.ply')), `by WebAssembly: ${made.notes[0]}`);
    // A copy has vertices of its own.
    const both = await tab.evaluate(async () => {
      const { gltf } = await window.load('soft.glb', { core: async () => (await import('@sinew/web/core')).default() }), scene = new THREE.Scene(), roots = [gltf.scene, window.clone(gltf.scene)];
      scene.add(...roots);
      roots.forEach((root, k) => {
        const mixer = new THREE.AnimationMixer(root);
        mixer.clipAction(gltf.animations[1]).play();
        mixer.setTime(k ? 0.7 : 0.2);
      });
      window.renderer.render(scene, new THREE.PerspectiveCamera());
      return roots.map((root) => {
        const { position, normal } = window.meshesOf(root)[0].geometry.attributes;
        return { positions: [...position.array], normals: [...normal.array] };
      });
    });
    checkNear(both[1], readPly(native.path('soft.ply')), 'a copy by WebAssembly');
    check(both[0].positions.some((v, k) => Math.abs(v - both[1].positions[k]) > 1e-3), 'both copies have one pose');
    return undefined;
  },

  async 'files without data, with broken data, and too large ones'(tab, native) {
    native.run('make', 'arm', '-o', native.path('bare.glb'), '--resolution', '500');
    edit(native.path('bare.glb'), native.path('bare.glb'), (json) => { delete json.extensions; for (const node of json.nodes) delete node.extensions; for (const mesh of json.meshes) for (const p of mesh.primitives) delete p.extensions; delete json.extensionsUsed; });
    const wanted = poseNatively(native, native.path('bare.glb'), 'pose', 'lbs', '--set', 'ForeArm=0,-50,0');
    edit(native.path('pose.glb'), native.path('pose.glb'), (json) => { delete json.extensions; delete json.extensionsUsed; });
    const bare = await posed(tab, 'pose.glb');
    check(/no data of sinew.*linear blend/.test(bare.notes[0]), `says ${JSON.stringify(bare.notes)}`);
    checkNear(bare, wanted, 'a file without data');
    const refused = async (change, pattern) => {
      edit(native.path('arm.glb'), native.path('broken.glb'), change);
      const said = await tab.evaluate(() => window.load('broken.glb').then(() => 'nothing', (error) => `${error.name}: ${error.message}`));
      check(pattern.test(said), `it says: ${said}`);
    };
    const flesh = (json) => json.extensions.SINEW_rig.flesh;
    await refused((json) => { flesh(json).accessors.nodes = flesh(json).accessors.base; }, /SinewError: .*flesh.*differ in length/);
    await refused((json) => { flesh(json).accessors.swing = 9999; }, /SinewError: .*has no accessor/);
    await refused((json) => { flesh(json).fields[0].node = json.nodes.length + 5; }, /SinewError: .*carries no vertices/);
    await refused((json) => { flesh(json).fields[0].modes += 1; }, /SinewError: .*31 numbers a mode/);
    await refused((json) => { flesh(json).fields[0].partner = { node: json.nodes.length + 5 }; }, /SinewError: .*carries no vertices/);
    await refused((json) => { flesh(json).fields[0].partner = { node: flesh(json).fields[0].node }; }, /SinewError: .*the joint of the field itself/);
    await refused((json) => { flesh(json).bufferView = 9999; }, /SinewError: .*has no .bufferView/);
    await refused((json) => { flesh(json).bufferView = 0; }, /SinewError: .*damaged or cut short/);
    await refused((json) => { json.skins[0].joints[0] = 500; }, /Error: /); // three's own loader stops first
    await refused((json) => { json.meshes[0].primitives[0].attributes._SINEW_SHARE_0 = undefined; }, /SinewError: .*without _SINEW_SHARE_0/);
    await refused((json) => { json.accessors[flesh(json).accessors.counts].byteOffset = 1e9; }, /SinewError: .*cannot be read/);
    copyFileSync(native.path('arm.glb'), native.path('large.glb'));
    const large = await posed(tab, 'large.glb', { maxTextureSize: 1 });
    check(large.info.deformer === 'lbs' && /flesh needs \d+ texels.*holds 2048: linear blend/.test(large.notes[0]), `says ${JSON.stringify(large.notes)}`);
    const crowd = await tab.evaluate(async () => {
      const { gltf } = await window.load('large.glb');
      try { return new window.SinewCrowd(gltf.scene, 1e5) && 'nothing'; } catch (error) { return error.message; }
    });
    check(/holds \d+ poses of flesh.*not 100000/.test(crowd), crowd);
    checkNear(await posed(tab, 'large.glb'), poseNatively(native, native.path('arm.glb'), 'pose', 'flesh'), 'the page lives');
  },
};

const folder = buildPackage(wasm);
await inThreePage({
  program,
  served: { '/sinew/': folder },
  imports: { '@sinew/web/three': '/sinew/three.js', '@sinew/web/core': '/sinew/core/browser.js' },
  browserArguments: ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'],
  script: readFileSync(join(HERE, 'page.js'), 'utf8'),
  make(native) {
    native.make('arm', 'raw.glb', '--resolution', '800');
    native.run('rig', native.path('raw.glb'), '--joint-weights', 'elastic', '--voxels', '48', '-o', native.path('arm.glb'));
  },
  async test(tab, native) {
    for (const [name, test] of Object.entries(tests)) {
      if (only.length && !only.some((word) => name.includes(word))) continue;
      const started = Date.now();
      await test(tab, native).catch((error) => { throw new Error(`${name}: ${error.message}`); });
      console.log(`ok   ${name} (${Date.now() - started} ms)`);
    }
    rmSync(dirname(folder), { recursive: true, force: true });
  },
});
