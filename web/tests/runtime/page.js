// SPDX-License-Identifier: Apache-2.0
// The page of the runtime's tests: a stranger's three.js with the plugin, and what the tests ask it.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { SinewCrowd, SinewMesh, sinewRig } from '@sinew/web/three';
import { clone } from 'three/addons/utils/SkeletonUtils.js';

const canvas = document.createElement('canvas');
document.body.append(canvas);
const renderer = new THREE.WebGLRenderer({ canvas, preserveDrawingBuffer: true });
const gl = renderer.getContext();

// Programs that name these varyings write them to buffers.
const link = gl.linkProgram.bind(gl), writing = new WeakSet();
gl.linkProgram = (program) => {
  const text = gl.getAttachedShaders(program).map((shader) => gl.getShaderSource(shader)).join();
  if (text.includes('tfPosition')) {
    writing.add(program);
    gl.transformFeedbackVaryings(program, ['tfPosition', 'tfNormal'], gl.SEPARATE_ATTRIBS);
  }
  link(program);
};

/** The material also writes what its vertex shader made of positions and normals. */
function captured(material) {
  const before = material.onBeforeCompile;
  material.onBeforeCompile = (shader, r) => {
    before.call(material, shader, r);
    shader.vertexShader = shader.vertexShader.replace('void main() {', 'out vec3 tfPosition; out vec3 tfNormal;\nvoid main() {').replace(/}\s*$/, 'tfPosition = transformed; tfNormal = objectNormal;\n}');
  };
  material.needsUpdate = true;
  return material;
}

/** Draws each mesh once as points and reads back what the shader wrote, instance by instance. */
export function readBack(scene, meshes) {
  const results = [], camera = new THREE.PerspectiveCamera();
  camera.position.z = 5;
  for (const mesh of meshes) {
    const count = mesh.geometry.attributes.position.count, instances = mesh.isInstancedMesh ? mesh.count : 1, buffers = [0, 1].map(() => gl.createBuffer());
    const feedback = gl.createTransformFeedback();
    const draw = (run) => {
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, feedback);
      buffers.forEach((buffer, k) => {
        gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, k, buffer);
        gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, 12 * count * instances, gl.STREAM_READ);
      });
      gl.enable(gl.RASTERIZER_DISCARD);
      gl.beginTransformFeedback(gl.POINTS);
      run();
      gl.endTransformFeedback();
      gl.disable(gl.RASTERIZER_DISCARD);
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
    };
    const own = ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced'];
    const kept = Object.fromEntries(own.map((name) => [name, gl[name].bind(gl)]));
    for (const name of own)
      gl[name] = (...words) => {
        if (!writing.has(gl.getParameter(gl.CURRENT_PROGRAM))) return kept[name](...words); // a pass of its own
        return draw(() => (name.endsWith('Instanced') ? kept.drawArraysInstanced(gl.POINTS, 0, count, instances) : kept.drawArrays(gl.POINTS, 0, count)));
      };
    const visible = meshes.map((other) => other.visible);
    meshes.forEach((other) => (other.visible = other === mesh));
    const material = mesh.material, culled = mesh.frustumCulled;
    mesh.frustumCulled = false;
    mesh.material = captured(material.userData.captured ? material : material.clone());
    mesh.material.userData.captured = true;
    renderer.render(scene, camera);
    mesh.material = material;
    mesh.frustumCulled = culled;
    meshes.forEach((other, k) => (other.visible = visible[k]));
    for (const name of own) delete gl[name];
    const [positions, normals] = buffers.map((buffer) => {
      const numbers = new Float32Array(3 * count * instances);
      gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, buffer);
      gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, numbers);
      gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, null);
      gl.deleteBuffer(buffer);
      return numbers;
    });
    gl.deleteTransformFeedback(feedback);
    results.push({ positions, normals });
  }
  const fault = gl.getError();
  if (fault) throw new Error(`WebGL says ${fault}`);
  return results;
}

export const meshesOf = (root) => {
  const list = [];
  root.traverse((object) => object.isMesh && list.push(object));
  return list;
};

export async function load(file, options = {}) {
  const notes = [];
  const loader = new GLTFLoader().register(sinewRig({ onNote: (note) => notes.push(note), ...options }));
  const gltf = await loader.loadAsync(`/files/${file}`);
  return { gltf, notes, info: gltf.userData.sinew };
}

/** Vertices of all parts as a file's own pose has them, by the shader and on the CPU. */
async function posed(file, options, clip, time) {
  const { gltf, notes, info } = await load(file, options);
  const scene = new THREE.Scene();
  scene.add(gltf.scene, new THREE.DirectionalLight());
  gltf.scene.position.set(3, -1, 2); // moves the character, not its deformation
  gltf.scene.rotation.y = 0.7;
  if (clip !== undefined) {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    mixer.clipAction(gltf.animations[clip]).play();
    mixer.setTime(time);
  }
  scene.updateMatrixWorld(true);
  const meshes = meshesOf(gltf.scene).filter((mesh) => mesh instanceof SinewMesh).sort((a, b) => a.part.first - b.part.first);
  const made = info.runsOn === 'shader' ? readBack(scene, meshes) : null;
  if (!made) renderer.render(scene, new THREE.PerspectiveCamera());
  const v = new THREE.Vector3();
  let far = 0;
  const positions = [], normals = [];
  meshes.forEach((mesh, k) => {
    const { position, normal } = mesh.geometry.attributes;
    for (let i = 0; i < position.count; ++i) {
      mesh.getVertexPosition(i, v);
      const p = made ? made[k].positions.subarray(3 * i, 3 * i + 3) : [position.getX(i), position.getY(i), position.getZ(i)];
      // A file without normals is shaded flat: there are none to compare.
      const n = !normal ? [0, 0, 0] : made ? made[k].normals.subarray(3 * i, 3 * i + 3) : [normal.getX(i), normal.getY(i), normal.getZ(i)];
      far = Math.max(far, Math.hypot(v.x - p[0], v.y - p[1], v.z - p[2]));
      positions.push(...p);
      normals.push(...n);
    }
  });
  return { positions, normals, far, notes, info, parts: meshes.map((mesh) => [mesh.part.first, mesh.part.count]) };
}

/** Runs a compute shader of WebGPU over `count` numbers in groups of 64: arrays by their binding, and what it writes to binding 6 as floats. Null where there is none. */
async function compute(code, arrays, floats, count) {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) return null;
  const device = await adapter.requestDevice(), faults = [], { STORAGE, UNIFORM, COPY_SRC, MAP_READ, COPY_DST } = GPUBufferUsage;
  device.addEventListener('uncapturederror', (event) => faults.push(event.error.message));
  const out = device.createBuffer({ size: 4 * floats, usage: STORAGE | COPY_SRC }), back = device.createBuffer({ size: 4 * floats, usage: MAP_READ | COPY_DST });
  const entries = Object.entries(arrays).map(([binding, data]) => {
    const buffer = device.createBuffer({ size: Math.max(16, data.byteLength), usage: (data instanceof Int32Array ? UNIFORM : STORAGE) | COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return { binding: Number(binding), resource: { buffer } };
  });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module: device.createShaderModule({ code }), entryPoint: 'main' } });
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [...entries, { binding: 6, resource: { buffer: out } }] });
  const commands = device.createCommandEncoder(), pass = commands.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(Math.ceil(count / 64));
  pass.end();
  commands.copyBufferToBuffer(out, 0, back, 0, 4 * floats);
  device.queue.submit([commands.finish()]);
  await back.mapAsync(GPUMapMode.READ);
  const numbers = [...new Float32Array(back.getMappedRange())];
  if (faults.length) throw new Error(faults.join('; '));
  return numbers;
}

/** The same from plain lists: floats, or { whole: [...] }. */
window.computeLists = (code, lists, floats, count) =>
  compute(code, Object.fromEntries(Object.entries(lists).map(([binding, list]) => [binding, list.whole ? Int32Array.from(list.whole) : Float32Array.from(list)])), floats, count);

/** A deformer by a compute shader. */
async function computed(file, deformer, code) {
  const { gltf } = await load(file, { deformer, pass: false }), [mesh] = meshesOf(gltf.scene), { shared, skeleton } = mesh;
  gltf.scene.updateMatrixWorld(true);
  skeleton.update();
  const { rig } = shared, rests = new Float32Array(6 * rig.vertices);
  for (let i = 0; i < rig.vertices; ++i) for (let c = 0; c < 3; ++c) [rests[6 * i + c], rests[6 * i + 3 + c]] = [rig.positions[3 * i + c], rig.normals[3 * i + c]];
  const numbers = await compute(code, { 0: skeleton.palette, 1: shared.deformer.rows, 3: new Int32Array(4), 4: rests, 5: shared.deformer.vertexRows }, 6 * rig.vertices, rig.vertices);
  if (!numbers) return null;
  const positions = [], normals = [];
  for (let i = 0; i < numbers.length; i += 6) {
    positions.push(...numbers.slice(i, i + 3));
    normals.push(...numbers.slice(i + 3, i + 6));
  }
  return { positions, normals };
}

Object.assign(window, { computed, THREE, renderer, gl, posed, load, readBack, meshesOf, clone, SinewCrowd, SinewMesh, ready: true });
