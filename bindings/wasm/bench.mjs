// SPDX-License-Identifier: Apache-2.0
// usage: node bindings/wasm/bench.mjs RIG.glb [THREADS]: milliseconds a frame of several deformers, the least and the
// median of 60, and of opening the file. Build with ./dev page.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from './node.mjs';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../build/wasm');
const [file, threads = '1'] = process.argv.slice(2);
const loading = performance.now();
const sinew = await load(folder, Number(threads));
const opening = performance.now();
const session = sinew.open(new Uint8Array(fs.readFileSync(file)), file);
const opened = performance.now();
const { vertices, clips } = session.info();
console.log(`${vertices} vertices, ${sinew.threads} threads; module ${(opening - loading).toFixed(0)} ms, file ${(opened - opening).toFixed(0)} ms`);
for (const deformer of ['lbs', 'dqs', 'swing-twist', 'stretch-dqs', 'lbs+mush']) {
  const start = performance.now();
  session.setDeformer(0, { deformer });
  const built = performance.now() - start;
  const frames = [];
  for (let k = 0; k < 80; ++k) {
    if (clips.length > 0) session.setClip(0, (clips[0].duration * k) / 80);
    const { milliseconds } = session.evaluate(0);
    if (k >= 20) frames.push(milliseconds); // the engine compiles anew what runs often
  }
  frames.sort((a, b) => a - b);
  console.log(`${deformer.padEnd(12)} ${frames[0].toFixed(2)} ms, median ${frames[30].toFixed(2)} ms; built in ${built.toFixed(0)} ms`);
}
process.exit(0);
