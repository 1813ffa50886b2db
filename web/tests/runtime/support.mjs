// SPDX-License-Identifier: Apache-2.0
// What tests of the runtime share: the package, a page with it, and vertices and normals of the program.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check, sizeOf } from '../browser/harness.mjs';

export const HERE = dirname(fileURLToPath(import.meta.url)), ROOT = resolve(HERE, '../../..');
export const DATA = process.env.SINEW_DATA ?? resolve(ROOT, '../shared/data');
export const hasData = existsSync(join(DATA, 'rigged_gltf', 'CesiumMan.glb'));

/** Builds the package into a folder of its own. wasm: of the library's build, or - . */
export function buildPackage(wasm) {
  const folder = join(mkdtempSync(join(tmpdir(), 'sinew-npm-')), 'package');
  execFileSync(process.execPath, [join(ROOT, 'web/runtime/build.mjs'), existsSync(join(wasm, 'sinew.wasm')) ? resolve(wasm) : '-', folder], { cwd: join(ROOT, 'web'), stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}

/** Positions and normals of a .ply that the program wrote. */
export function readPly(path) {
  const bytes = readFileSync(path), start = bytes.indexOf('end_header\n') + 11, head = String(bytes.subarray(0, start)).split('element face')[0];
  const count = Number(/element vertex (\d+)/.exec(head)[1]), width = head.match(/property float/g).length, positions = [], normals = [];
  const numbers = new Float32Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + start + 4 * width * count));
  for (let i = 0; i < count; ++i) {
    positions.push(...numbers.subarray(width * i, width * i + 3));
    normals.push(...numbers.subarray(width * i + 3, width * i + 6));
  }
  return { positions, normals };
}

/** A pose by the program: NAME.glb holds it, and what comes back are its vertices. */
export function poseNatively(native, rig, name, deformer, ...pose) {
  native.run('pose', rig, ...pose, ...(deformer ? ['--deformer', deformer] : []), '-o', native.path(`${name}.ply`));
  native.run('pose', rig, ...pose, '-o', native.path(`${name}.glb`));
  return readPly(native.path(`${name}.ply`));
}

/** The largest distance over the size, and the largest angle in degrees. */
export function differences(made, wanted) {
  check(made.positions.length === wanted.positions.length, `${made.positions.length / 3} vertices for ${wanted.positions.length / 3}`);
  let far = 0, angle = 0;
  for (let i = 0; i < made.positions.length; i += 3) {
    far = Math.max(far, Math.hypot(...[0, 1, 2].map((c) => made.positions[i + c] - wanted.positions[i + c])));
    const [a, b] = [made, wanted].map((from) => from.normals.slice(i, i + 3));
    const cross = Math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]), dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    if (Math.hypot(...a) > 0 && Math.hypot(...b) > 0) angle = Math.max(angle, (Math.atan2(cross, dot) * 180) / Math.PI);
  }
  return { far: far / sizeOf(wanted.positions), angle };
}

/** Vertices of the parts that the page has: rigid ones are meshes of three. */
function ofParts(all, parts) {
  const take = (list) => parts.flatMap(([first, count]) => list.slice(3 * first, 3 * (first + count)));
  return { positions: take(all.positions), normals: take(all.normals) };
}

export function checkNear(made, all, what) {
  const wanted = made.parts ? ofParts(all, made.parts) : all;
  const { far, angle } = differences(made, wanted);
  console.log(`${what}: ${far.toExponential(1)} of the size, ${angle.toFixed(3)} degrees${made.far === undefined ? '' : `; on the CPU ${(made.far / sizeOf(wanted.positions)).toExponential(1)}`}`);
  check(far < 1e-5, `${what}: ${far} of the size from the native vertices`);
  check(angle < 0.1, `${what}: normals ${angle} degrees off`);
  if (made.far !== undefined) check(made.far / sizeOf(wanted.positions) < 1e-5, `${what}: getVertexPosition is ${made.far} off`);
}
