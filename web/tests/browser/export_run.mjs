// SPDX-License-Identifier: Apache-2.0
// What `sinew export --for web` writes, in a page of three.js that knows nothing of sinew: its loader, its mixer, its
// skinning, and the vertices it makes.
// usage: node export_run.mjs PROGRAM [RIG.glb DEFORMER]
import { check, distances } from './harness.mjs';
import { inThreePage, player } from './three_page.mjs';

const [program, rig, named] = process.argv.slice(2);
const deformer = named ?? 'swing-twist';

let source, said;
await inThreePage({
  program,
  script: player('/rig.glb'),
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
