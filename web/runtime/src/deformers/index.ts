// SPDX-License-Identifier: Apache-2.0
// The table of deformers, and what of a stack runs in a shader.
import { SinewError, type JointBlend, type Rig, type StackStep } from '../rig.js';
import type { Deformer } from './deformer.js';
import { makeDqs } from './dqs.js';
import { makeFlesh } from './flesh.js';
import { makeJoint } from './joint.js';
import { makeLbs } from './lbs.js';
import { makeStretch } from './stretch.js';

type Make = (rig: Rig, settings: Record<string, unknown>) => Deformer;

const jointBased = (blend?: JointBlend): Make => (rig, settings) => makeJoint(rig, { blend, mix: settings.mix as number | undefined, fastTwist: settings.fast_twist === true });

export const DEFORMERS: Record<string, Make> = {
  lbs: makeLbs,
  dqs: makeDqs,
  'swing-twist': jointBased(),
  'joint-dqs': jointBased('dqs'),
  'stretch-lbs': (rig) => makeStretch(rig, false),
  'stretch-dqs': (rig) => makeStretch(rig, true),
  flesh: makeFlesh,
};

/** The deformer of a stack that the shaders can run; or why they cannot. */
export function shaderDeformer(stack: StackStep[], json: { keys?: Record<string, unknown>[]; poseSpaces?: unknown[]; cages?: unknown[] } | undefined): { name: string; settings: StackStep } | { reason: string } {
  const skeletons = stack.filter((entry) => entry.step === 'skeleton');
  for (const [k, entry] of stack.entries()) {
    if (entry.step !== 'keys' && entry.step !== 'skeleton') return { reason: `the stack has the step '${entry.step}'` };
    if (entry.mask) return { reason: `the step '${entry.step}' has a mask` };
    if (entry.step === 'keys' && ((entry.space ?? 'object') !== 'object' || entry.only)) return { reason: 'keys are not in object space, or chosen by name' };
    if (entry.step === 'keys' && k > 0) return { reason: 'keys come behind the skeleton' };
  }
  if (skeletons.length !== 1) return { reason: `the stack has ${skeletons.length} skeleton steps` };
  if (json?.poseSpaces?.length) return { reason: 'poses drive keys' };
  if (json?.cages?.length) return { reason: 'the rig has cages' };
  if (json?.keys?.some((key) => key.mask || key.withoutRotation || key.withoutScale)) return { reason: 'keys have masks or use their rotation or stretch alone' };
  const settings = skeletons[0], name = String(settings.deformer ?? 'lbs');
  if (settings.joints) return { reason: 'joints have blends by name' };
  return Object.hasOwn(DEFORMERS, name) ? { name, settings } : { reason: `'${name}' does not run in a shader` };
}

export function makeDeformer(rig: Rig, name: string, settings: Record<string, unknown> = {}): Deformer {
  if (!Object.hasOwn(DEFORMERS, name)) throw new SinewError(`there is no deformer '${name}' for shaders, choose from ${Object.keys(DEFORMERS).join(', ')}`);
  return DEFORMERS[name](rig, settings);
}
