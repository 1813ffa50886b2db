// SPDX-License-Identifier: Apache-2.0
// Frame times of many copies: three's own SkinnedMesh, and the deformer of the file in the shader, 64 x 64 pixels.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import { SinewCrowd, sinewRig } from '@sinew/web/three';

const renderer = new THREE.WebGLRenderer({ antialias: false });
renderer.setSize(64, 64, false);
const gl = renderer.getContext(), pixel = new Uint8Array(4), camera = new THREE.PerspectiveCamera(50, 1, 0.1, 100);
camera.position.set(0, 1, 9);

const place = (i) => new THREE.Vector3(((i % 5) - 2) * 1.2, 0, -Math.floor(i / 5));

function frames(scene, pose, count) {
  const times = [];
  for (let k = 0; k < count; ++k) {
    const started = performance.now();
    pose(k);
    renderer.render(scene, camera);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    times.push(performance.now() - started);
  }
  return times;
}

/** Every joint of a character turned by up to 30 degrees, by another number in every frame. */
let everyJoint = false;
function turnAll(root, k) {
  let j = 0;
  root.traverse((bone) => {
    if (bone.isBone) bone.quaternion.multiply(new THREE.Quaternion().setFromEuler(new THREE.Euler(0.5 * Math.sin(k + ++j), 0.5 * Math.sin(2 * k + j), 0.5 * Math.cos(k + 3 * j))));
  });
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** Median milliseconds of frames of copies, each in a pose of its own; taken in turns, so that all see the same machine. */
window.measure = async (copies, count, all) => {
  everyJoint = all;
  const makers = {
    three: async () => copiesOf(await new GLTFLoader().loadAsync('/rig.glb'), copies),
    sinew: async () => copiesOf(await new GLTFLoader().register(sinewRig()).loadAsync('/rig.glb'), copies),
    crowd: async () => crowdOf(await new GLTFLoader().register(sinewRig()).loadAsync('/rig.glb'), copies),
  };
  const runs = {};
  for (const [name, make] of Object.entries(makers)) runs[name] = { ...(await make()), times: [] };
  for (let turn = 0; turn < 5; ++turn)
    for (const run of Object.values(runs)) {
      frames(run.scene, run.pose, 2);
      run.times.push(...frames(run.scene, run.pose, count));
    }
  return Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, median(run.times)]));
};

function lit() {
  const scene = new THREE.Scene();
  scene.add(new THREE.DirectionalLight());
  return scene;
}

function copiesOf(gltf, copies) {
  const scene = lit(), mixers = [], roots = [];
  for (let i = 0; i < copies; ++i) {
    const one = clone(gltf.scene);
    one.position.copy(place(i));
    one.traverse((object) => (object.frustumCulled = false));
    scene.add(one);
    roots.push(one);
    const mixer = new THREE.AnimationMixer(one);
    mixer.clipAction(gltf.animations[0]).play();
    mixers.push(mixer);
  }
  return { scene, pose: (k) => mixers.forEach((mixer, i) => {
    mixer.setTime(k * 0.033 + i * 0.1);
    if (everyJoint) turnAll(roots[i], k + i);
  }) };
}

function crowdOf(gltf, copies) {
  const scene = lit(), crowd = new SinewCrowd(gltf.scene, copies), mixer = new THREE.AnimationMixer(gltf.scene);
  for (let i = 0; i < copies; ++i) crowd.setMatrixAt(i, new THREE.Matrix4().setPosition(place(i)));
  mixer.clipAction(gltf.animations[0]).play();
  scene.add(crowd);
  return {
    scene,
    pose: (k) => {
      for (let i = 0; i < copies; ++i) {
        mixer.setTime(k * 0.033 + i * 0.1);
        if (everyJoint) turnAll(gltf.scene, k + i);
        crowd.setPoseAt(i);
      }
    },
  };
}

window.ready = true;
