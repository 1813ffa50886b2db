// SPDX-License-Identifier: Apache-2.0
// usage: node hash_frames.mjs FOLDER THREADS FILE: what frames of several deformers are, as JSON. Ends by itself.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { load } from '../node.mjs';

const [folder, threads, file] = process.argv.slice(2);
const sinew = await load(folder, Number(threads));
const session = sinew.open(new Uint8Array(fs.readFileSync(file)), file);
const frames = {};
for (const deformer of ['lbs', 'dqs+mush', 'swing-twist', 'volume', 'differential', 'arap']) {
  session.setDeformer(0, { deformer, iterations: 3 });
  const hash = createHash('sha256');
  for (const seconds of [0, 0.3, 0.7]) {
    session.setClip(0, seconds);
    const { positions, normals } = session.evaluate(0);
    hash.update(positions.slice()).update(normals.slice());
  }
  frames[deformer] = hash.digest('hex');
}
const errors = [];
function failing(call) {
  try {
    call();
    errors.push(null);
  } catch (error) {
    errors.push([error.code, error.message]);
  }
}
failing(() => sinew.open(new TextEncoder().encode('{"asset"'), 'broken.gltf')); // thrown and caught inside
failing(() => session.setDeformer(0, { deformer: 'none' }));
failing(() => session.setDeformer(0, { deformer: 'elastic', voxels: 1024 })); // more than memory holds
console.log(JSON.stringify({ threads: sinew.threads, frames, errors }));
process.exit(0);
