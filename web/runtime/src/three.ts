// SPDX-License-Identifier: Apache-2.0
export { SinewError } from './rig.js';
export type { BoneShape } from './skeleton.js';
export { SinewCrowd } from './three/crowd.js';
export { SinewMesh } from './three/mesh.js';
export { sinewRig, type SinewInfo, type SinewOptions } from './three/plugin.js';
export { SinewSkeleton } from './three/pose.js';
