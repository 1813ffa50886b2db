// SPDX-License-Identifier: Apache-2.0
// What `sinew export --for web` writes, in a page of three.js that knows nothing of sinew: its loader, its mixer, its
// skinning, and the vertices it makes.
// usage: node export_run.mjs PROGRAM [RIG.glb DEFORMER]
import { check, sizeOf } from './harness.mjs';
import { inThreePage } from './three_page.mjs';

const [program, rig, named] = process.argv.slice(2);
const deformer = named ?? 'swing-twist';

const script = `
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
const gltf = await new GLTFLoader().loadAsync('/rig.glb');
const mixer = new THREE.AnimationMixer(gltf.scene);
mixer.clipAction(gltf.animations.at(-1)).play();
window.verticesAt = (time) => {
  mixer.setTime(time);
  gltf.scene.updateMatrixWorld(true);
  const out = [], v = new THREE.Vector3();
  gltf.scene.traverse((mesh) => {
    if (!mesh.isMesh) return;
    for (let i = 0; i < mesh.geometry.attributes.position.count; ++i) {
      mesh.getVertexPosition(i, v).applyMatrix4(mesh.matrixWorld);
      out.push(v.x, v.y, v.z);
    }
  });
  return out;
};
window.duration = gltf.animations.at(-1).duration;
window.clip = gltf.animations.length - 1;
window.ready = true;
`;

/** Distances over the size, rising. */
function distances(a, b) {
  const size = sizeOf(a),
    out = [];
  for (let i = 0; i < a.length; i += 3)
    out.push(Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]) / size);
  return out.sort((x, y) => x - y);
}

let source, said;
await inThreePage({
  program,
  script,
  make(native) {
    source = rig ?? native.make('arm', 'arm.glb', '--resolution', '1500');
    said = JSON.parse(
      native.run(
        'export',
        source,
        '--for',
        'web',
        '--deformer',
        deformer,
        '--reference',
        '0',
        '-o',
        native.path('rig.glb'),
        '--json',
      ),
    );
  },
  async test(tab, native) {
    const duration = await tab.evaluate('window.duration');
    const clip = String(await tab.evaluate('window.clip')); // the last: the arm's twists, where linear blending is worst
    const off = [],
      before = [];
    for (const share of [0.11, 0.37, 0.52, 0.83]) {
      const time = (share * duration).toFixed(6);
      const shown = await tab.evaluate(`window.verticesAt(${time})`);
      const own = native.pose(native.path('rig.glb'), '--clip', clip, '--time', time, '--deformer', 'lbs');
      const wanted = native.pose(source, '--clip', clip, '--time', time, '--deformer', deformer);
      check(shown.length === wanted.length, `${shown.length / 3} vertices for ${wanted.length / 3}`);
      const same = distances(own, shown);
      check(same.at(-1) < 1e-5, `three.js shows other vertices than sinew: ${same.at(-1)} of the size at ${time} s`);
      off.push(...distances(wanted, shown));
      before.push(...distances(wanted, native.pose(source, '--clip', clip, '--time', time, '--deformer', 'lbs')));
    }
    const at = (list) => list.sort((x, y) => x - y)[Math.floor(0.999 * list.length)];
    console.log(
      `99.9 % of vertices within ${(100 * at(off)).toFixed(3)} % of the size; linear blending ${(100 * at(before)).toFixed(3)} %; certificate ${(100 * said.clips.p999).toFixed(3)} %, largest ${(100 * said.clips.max).toFixed(3)} %`,
    );
    check(at(off) <= 1.2 * said.clips.max + 1e-5, 'further off than the certificate says');
    check(at(off) < 0.6 * at(before), 'hardly better than linear blending');
  },
});
