// SPDX-License-Identifier: Apache-2.0
// The npm package as a stranger gets it: packed, installed into an empty folder, and used by Node, TypeScript, a page without
// tools and a vite project.
// usage: node package_test.mjs PROGRAM WASM
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { check, findChromium, launch, largestDistance, Native, SKIPPED, sizeOf } from '../browser/harness.mjs';
import { buildPackage, readPly } from './support.mjs';

const [program, wasm] = process.argv.slice(2);
const TYPES = { '.js': 'text/javascript', '.html': 'text/html', '.wasm': 'application/wasm', '.css': 'text/css' };

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(SKIPPED);
}
if (!existsSync(join(wasm, 'sinew.wasm'))) skip('WebAssembly is not built, ./dev page builds it');
const browserPath = findChromium();
if (!browserPath) skip('chromium is not installed, ./dev test installs it');
const playwright = await import('playwright-core').catch(() => null);
if (!playwright) skip('playwright-core is not installed, ./dev page installs it');
const modules = dirname(dirname(dirname(createRequire(import.meta.url).resolve('three'))));

const folder = mkdtempSync(join(tmpdir(), 'sinew-stranger-'));
const native = new Native(resolve(program), folder);
const run = (command, words, cwd = folder) => execFileSync(command, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'] }).toString();

/** What strangers write: an import and two lines; then what the test wants to know. */
const MAIN = (file, core = '@sinew/web/core') => `
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { sinewRig } from '@sinew/web/three';
import createSinew from '${core}';

const scene = new THREE.Scene();
const gltf = await new GLTFLoader().register(sinewRig()).loadAsync('${file}');
scene.add(gltf.scene);

const renderer = new THREE.WebGLRenderer();
renderer.render(scene, new THREE.PerspectiveCamera());
const mesh = gltf.scene.getObjectByProperty('isSinewMesh', true), v = new THREE.Vector3(), positions = [];
for (let i = 0; i < mesh.geometry.attributes.position.count; ++i) positions.push(...mesh.getVertexPosition(i, v).toArray());

const sinew = await createSinew({ threads: 2 });
const session = sinew.open(new Uint8Array(await (await fetch('${file}')).arrayBuffer()), 'arm.glb');
session.setDeformer(0, session.storedDeformer());
window.made = { info: gltf.userData.sinew, positions, core: [...session.evaluate(0).positions], threads: sinew.threads };
window.ready = true;
`;

const NODE = `
import { readFileSync } from 'node:fs';
import createSinew from '@sinew/web/core';
for (const threads of [1, 2]) {
  const sinew = await createSinew({ threads });
  const session = sinew.open(new Uint8Array(readFileSync('arm.glb')), 'arm.glb');
  session.setDeformer(0, session.storedDeformer());
  console.log(JSON.stringify([sinew.threads, ...session.evaluate(0).positions]));
  session.delete();
}
process.exit(0);
`;

const TYPED = `
import { Scene } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { SinewCrowd, SinewMesh, sinewRig, type SinewInfo } from '@sinew/web/three';
import createSinew, { type Session } from '@sinew/web/core';
export async function show(scene: Scene): Promise<SinewInfo> {
  const gltf = await new GLTFLoader().register(sinewRig({ deformer: 'dqs', core: () => createSinew() })).loadAsync('arm.glb');
  scene.add(new SinewCrowd(gltf.scene, 3));
  gltf.scene.traverse((object) => { if (object instanceof SinewMesh) object.skeleton.setShape('ForeArm', { stretch: 1.2, twistHead: 0, twistTail: 1 }); });
  return gltf.userData.sinew as SinewInfo;
}
export const open = async (bytes: Uint8Array): Promise<Session> => (await createSinew({ threads: 2 })).open(bytes, 'a.glb');
`;

async function visit(root, wanted, what, threads = 1) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://here').pathname, file = join(root, path === '/' ? 'index.html' : path);
    if (path.includes('..') || !existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const browser = await launch(playwright.chromium, browserPath), faults = [];
  try {
    const tab = await browser.newPage();
    tab.on('pageerror', (error) => faults.push(error.message));
    tab.on('console', (message) => message.type() === 'error' && !message.location().url.endsWith('favicon.ico') && faults.push(message.text()));
    await tab.goto(`http://127.0.0.1:${server.address().port}/`);
    await tab.waitForFunction('window.ready === true', null, { timeout: 60_000 }).catch((error) => { throw new Error([error.message, ...faults].join('; ')); });
    const made = await tab.evaluate('window.made');
    check(faults.length === 0, `${what} says: ${faults.join('; ')}`);
    check(made.info.deformer === 'flesh' && made.info.runsOn === 'shader', `${what}: ${JSON.stringify(made.info)}`);
    check(made.threads === threads, `${what}: ${made.threads} threads`);
    for (const [name, positions] of [['three', made.positions], ['core', made.core]]) {
      const off = largestDistance(positions, wanted) / sizeOf(wanted);
      check(off < 1e-5, `${what}, ${name}: ${off} of the size off`);
      console.log(`ok   ${what}, ${name}: ${off.toExponential(1)} of the size`);
    }
  } finally {
    await browser.close();
    server.close();
  }
}

let failed = false;
const built = buildPackage(wasm);
try {
  native.make('arm', 'raw.glb', '--resolution', '600');
  native.run('rig', 'raw.glb', '--voxels', '32', '-o', 'straight.glb');
  native.run('pose', 'straight.glb', '--set', 'ForeArm=0,-70,20', '-o', 'arm.glb');
  native.run('pose', 'arm.glb', '-o', 'arm.ply');
  const wanted = readPly(native.path('arm.ply')).positions;

  const tarball = run('npm', ['pack', built, '--silent', '--pack-destination', folder]).trim().split('\n').at(-1);
  const packed = statSync(join(folder, tarball)).size, three = readFileSync(join(built, 'three.js')), small = gzipSync(three, { level: 9 }).length;
  console.log(`${tarball}: ${(packed / 1e6).toFixed(2)} MB; three.js ${(three.length / 1e3).toFixed(1)} kB, compressed ${(small / 1e3).toFixed(1)} kB`);
  check(packed <= 2.5e6 && small <= 40e3, 'the package is too large');

  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  run('npm', ['install', join(folder, tarball), '--offline', '--no-audit', '--no-fund', '--omit=peer']);

  writeFileSync(join(folder, 'use.js'), NODE);
  for (const line of run(process.execPath, ['use.js']).trim().split('\n')) {
    const [threads, ...positions] = JSON.parse(line), off = largestDistance(positions, wanted) / sizeOf(wanted);
    check(off < 1e-6, `Node with ${threads} threads: ${off}`);
    console.log(`ok   Node ${process.version}, ${threads} threads: ${off.toExponential(1)} of the size`);
  }

  for (const name of ['three', '@types']) symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'typed.ts'), TYPED);
  run(process.execPath, [join(modules, 'typescript/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022', '--types', 'three', 'typed.ts']);
  console.log('ok   TypeScript');

  const imports = { three: '/node_modules/three/build/three.module.js', 'three/addons/': '/node_modules/three/examples/jsm/', '@sinew/web/three': '/node_modules/@sinew/web/three.js', '@sinew/web/core/threads': '/node_modules/@sinew/web/core/threads.js' };
  writeFileSync(join(folder, 'index.html'), `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script><script type="module">${MAIN('arm.glb', '@sinew/web/core/threads')}</script>`);
  await visit(folder, wanted, 'a plain page with two threads', 2);

  mkdirSync(join(folder, 'public'));
  writeFileSync(join(folder, 'public/arm.glb'), readFileSync(join(folder, 'arm.glb')));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><script type="module" src="/main.js"></script>');
  writeFileSync(join(folder, 'main.js'), MAIN('/arm.glb'));
  run(process.execPath, [join(modules, 'vite/bin/vite.js'), 'build', '--target', 'esnext', '--outDir', 'dist', '--logLevel', 'error']);
  await visit(join(folder, 'dist'), wanted, 'a vite project');
} catch (error) {
  failed = true;
  console.log(`FAIL ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
  rmSync(dirname(built), { recursive: true, force: true });
}
console.log(failed ? 'failed' : 'passed');
process.exit(failed ? 1 : 0);
