// SPDX-License-Identifier: Apache-2.0
// What `sinew export --for vrm` writes, in a page with pixiv's three-vrm, which most programs for the web load VRM with:
// it finds the humanoid and the metadata, and its roll constraint turns the roll joint.
// usage: node vrm_run.mjs PROGRAM [RIG.glb [PICTURE.png]]
import { check } from './harness.mjs';
import { inThreePage } from './three_page.mjs';

const [program, rig, picture] = process.argv.slice(2);
const LICENCE = 'https://vrm.dev/licenses/1.0/';

const script = `
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { VRMLoaderPlugin } from '@pixiv/three-vrm';
const loader = new GLTFLoader();
loader.register((parser) => new VRMLoaderPlugin(parser));
const gltf = await loader.loadAsync('/rig.glb');
const vrm = gltf.userData.vrm;
const constraints = [...(vrm?.nodeConstraintManager?.constraints ?? [])];
window.found = {
  version: vrm?.meta?.metaVersion,
  meta: vrm?.meta,
  bones: vrm ? Object.keys(vrm.humanoid.humanBones) : [],
  constraints: constraints.map((c) => ({ joint: c.destination.name, source: c.source.name, weight: c.weight, roll: c.rollAxis !== undefined })),
};
/** The angle in degrees by which a joint turns where its source is turned by so many about an axis of the joint: 'y', its bone's, or another. */
window.turnedBy = (index, degrees, name) => {
  const { source, destination } = constraints[index];
  const before = destination.quaternion.clone(), at = source.quaternion.clone();
  const axis = new THREE.Vector3(name === 'x' ? 1 : 0, name === 'y' ? 1 : 0, 0).applyQuaternion(before);
  source.quaternion.premultiply(new THREE.Quaternion().setFromAxisAngle(axis, degrees * Math.PI / 180));
  gltf.scene.updateMatrixWorld(true);
  vrm.nodeConstraintManager.update();
  const angle = destination.quaternion.angleTo(before) * 180 / Math.PI;
  source.quaternion.copy(at);
  vrm.nodeConstraintManager.update();
  return angle;
};
/** Where joints are at rest. */
window.places = () => {
  gltf.scene.updateMatrixWorld(true);
  return Object.fromEntries(Object.entries(vrm.humanoid.humanBones).map(([name, bone]) => [name, bone.node.getWorldPosition(new THREE.Vector3()).toArray()]));
};
/** Draws the body with a raised and a bent arm, by the names of VRM. */
window.draw = () => {
  const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(innerWidth, innerHeight);
  document.body.style.margin = 0;
  document.body.append(renderer.domElement);
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(0xffffff);
  scene.add(gltf.scene, new THREE.HemisphereLight(0xffffff, 0x8890a0, 2.5));
  const light = new THREE.DirectionalLight(0xffffff, 2);
  light.position.set(1, 2, 3);
  scene.add(light);
  vrm.humanoid.getNormalizedBoneNode('leftUpperArm').rotation.z = 0.6;
  vrm.humanoid.getNormalizedBoneNode('leftLowerArm').rotation.y = -1.2;
  vrm.humanoid.getNormalizedBoneNode('rightUpperArm').rotation.z = 1.1;
  vrm.humanoid.getNormalizedBoneNode('head').rotation.y = 0.5;
  vrm.update(0);
  gltf.scene.updateMatrixWorld(true);
  const box = new THREE.Box3().setFromObject(gltf.scene, true), size = box.getSize(new THREE.Vector3()), middle = box.getCenter(new THREE.Vector3());
  const camera = new THREE.PerspectiveCamera(30, innerWidth / innerHeight, 0.01 * size.y, 100 * size.y);
  camera.position.copy(middle).add(new THREE.Vector3(0.3 * size.y, 0.1 * size.y, 1.9 * size.y));
  camera.lookAt(middle);
  renderer.render(scene, camera);
};
window.ready = true;
`;

let said;
await inThreePage({
  program,
  packages: { '@pixiv/three-vrm': 'three-vrm.module.js' },
  script,
  make(native) {
    // Elastic weights twist along a bone and bend at its joint: roll joints take part in them.
    const source = rig || native.path('elastic.glb');
    if (!rig)
      native.run(
        'weights',
        native.make('biped', 'biped.glb', '--resolution', '1500'),
        '--method',
        'heat',
        '--joint-weights',
        'elastic',
        '-o',
        source,
      );
    said = JSON.parse(
      native.run(
        'export',
        source,
        '--for',
        'vrm',
        '--name',
        'Test body',
        '--author',
        'A. Tester',
        '--licence',
        LICENCE,
        '--deformer',
        'swing-twist',
        '--helpers',
        '6',
        '--morphs',
        '0',
        '--reference',
        '0',
        '-o',
        native.path('rig.glb'),
        '--json',
      ),
    );
  },
  async test(tab) {
    const found = await tab.evaluate('window.found');
    check(found.version === '1', 'three-vrm does not take it for VRM 1.0');
    check(
      found.meta.name === 'Test body' && found.meta.authors[0] === 'A. Tester' && found.meta.licenseUrl === LICENCE,
      `other metadata: ${JSON.stringify(found.meta)}`,
    );
    for (const bone of [
      'hips',
      'spine',
      'head',
      'leftUpperArm',
      'rightLowerLeg',
      'leftHand',
      'rightFoot',
      'leftThumbMetacarpal',
      'rightLittleDistal',
    ])
      check(found.bones.includes(bone), `${bone} is not found`);
    const at = await tab.evaluate('window.places()');
    for (const side of ['left', 'right'])
      for (const [a, b] of [
        ['UpperArm', 'LowerArm'],
        ['LowerArm', 'Hand'],
      ]) {
        const way = at[side + b].map((x, c) => x - at[side + a][c]);
        check(
          Math.abs(way[0]) > 0.9999 * Math.hypot(...way) && way[0] > 0 === (side === 'left'),
          `${side}${a} does not point to the side: no T pose`,
        );
      }
    const rolls = found.constraints.filter((c) => c.roll);
    check(
      said.rolls > 0 && rolls.length === said.rolls && found.constraints.length === said.constraints,
      `constraints are ${JSON.stringify(found.constraints)}`,
    );
    for (const [index, one] of found.constraints.entries())
      for (const [axis, share] of [
        ['y', one.weight],
        ['x', one.roll ? 0 : one.weight],
      ]) {
        const angle = await tab.evaluate(`window.turnedBy(${index}, 60, '${axis}')`);
        check(
          Math.abs(angle - 60 * share) < 0.1,
          `${one.joint} turns by ${angle} degrees for ${60 * share} about ${axis}`,
        );
      }
    console.log(
      `${found.bones.length} bones; ${found.constraints.map((c) => `${c.joint} ${c.roll ? 'rolls' : 'turns'} ${c.weight.toFixed(2)} of ${c.source}`).join(', ')}; T pose: ${JSON.stringify(said.t_pose)}`,
    );
    if (picture) {
      await tab.evaluate('window.draw()');
      await tab.screenshot({ path: picture });
    }
  },
});
