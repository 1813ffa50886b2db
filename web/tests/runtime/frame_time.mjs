// SPDX-License-Identifier: Apache-2.0
// Frame times of 20 characters: three's own SkinnedMesh, and the file's deformer by the runtime. No test: times of a loaded
// machine say little.
// usage: node frame_time.mjs PROGRAM RIG.glb [COPIES]
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { inThreePage } from '../browser/three_page.mjs';
import { buildPackage, HERE } from './support.mjs';

const [program, rig, copies = '20'] = process.argv.slice(2), folder = buildPackage('-');
await inThreePage({
  program,
  served: { '/sinew/': folder },
  imports: { '@sinew/web/three': '/sinew/three.js' },
  script: readFileSync(join(HERE, 'frame_time.js'), 'utf8'),
  make: (native) => copyFileSync(resolve(rig), native.path('rig.glb')),
  async test(tab) {
    for (const all of [false, true]) {
      const times = await tab.evaluate(([count, every]) => window.measure(count, 6, every), [Number(copies), all]);
      console.log(all ? 'every joint turned:' : 'the first clip:');
      for (const [name, ms] of Object.entries(times)) console.log(`${name.padEnd(6)} ${ms.toFixed(0)} ms, ${(ms / times.three).toFixed(2)} of three's SkinnedMesh`);
    }
    rmSync(dirname(folder), { recursive: true, force: true });
  },
});
