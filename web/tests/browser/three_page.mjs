// SPDX-License-Identifier: Apache-2.0
// A page of three.js that knows nothing of sinew, in a real browser: what tests of exported files share.
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { check, findChromium, launch, Native, SKIPPED } from './harness.mjs';

const TYPES = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.html': 'text/html',
  '.glb': 'model/gltf-binary',
};

export const THREE = { three: '/three/build/three.module.js', 'three/addons/': '/three/examples/jsm/' };

/** A page with nothing but a script. */
export const pageOf = (imports, script) =>
  `<!doctype html><meta charset="utf-8"><script type="importmap">${JSON.stringify({ imports })}</script><script type="module">${script}</script>`;

/** Loads a file, and tells the vertices of its last clip at a time, as three.js skins them. */
export const player = (address) => `
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
const gltf = await new GLTFLoader().loadAsync('${address}');
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

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(SKIPPED);
}

/** Makes `/rig.glb` by `make(native)`, opens a page with `script` in it, waits until `window.ready`, and runs `test(tab)`; exits as a test does.
    `packages`: names in imports, and the file of each that they mean. `served`: other folders, by the prefix of their addresses; `imports`:
    names of files in them. Files of the program's folder are below /files/. */
export async function inThreePage({
  program,
  packages = {},
  served = {},
  imports: named = {},
  browserArguments = [],
  make,
  script,
  test,
}) {
  const browserPath = findChromium();
  if (!browserPath) skip('chromium is not installed, ./dev test installs it');
  const playwright = await import('playwright-core').catch(() => null);
  if (!playwright) skip('playwright-core is not installed, ./dev page installs it');
  const require = createRequire(import.meta.url);
  const imports = { ...THREE, ...named };
  const folders = { ...served };
  try {
    folders['/three/'] = dirname(dirname(require.resolve('three')));
    for (const [name, file] of Object.entries(packages)) {
      folders[`/${name}/`] = dirname(require.resolve(name));
      imports[name] = `/${name}/${file}`;
    }
  } catch {
    skip(`${['three', ...Object.keys(packages)].join(' or ')} is not installed, ./dev page installs them`);
  }
  const html = pageOf(imports, script);

  const folder = mkdtempSync(join(tmpdir(), 'sinew-three-'));
  const native = new Native(resolve(program), folder);
  folders['/files/'] = folder;
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://here').pathname;
    const send = (type, body) => response.writeHead(200, { 'content-type': type }).end(body);
    if (path === '/') return send(TYPES['.html'], html);
    if (path === '/rig.glb') return send(TYPES['.glb'], readFileSync(native.path('rig.glb')));
    const prefix = Object.keys(folders).find((name) => path.startsWith(name));
    try {
      if (prefix && !path.includes('..'))
        return send(
          TYPES[extname(path)] ?? 'text/plain',
          readFileSync(join(folders[prefix], path.slice(prefix.length))),
        );
    } catch {
      // not there
    }
    return response.writeHead(404).end();
  });

  let failed = false;
  let browser = null;
  try {
    make(native);
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    browser = await launch(playwright.chromium, browserPath, browserArguments);
    const tab = await browser.newPage({ viewport: { width: 560, height: 560 } });
    const faults = [];
    tab.on('pageerror', (error) => faults.push(error.message));
    tab.on(
      'console',
      (message) =>
        message.type() === 'error' && !message.location().url.endsWith('favicon.ico') && faults.push(message.text()),
    );
    await tab.goto(`http://127.0.0.1:${server.address().port}/`);
    await tab.waitForFunction('window.ready === true', null, { timeout: 60_000 }).catch((error) => {
      throw new Error([error.message, ...faults].join('; '));
    });
    await test(tab, native);
    check(faults.length === 0, `the page says: ${faults.join('; ')}`);
  } catch (error) {
    failed = true;
    console.log(`FAIL ${error.message}`);
  } finally {
    await browser?.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(failed ? 'failed' : 'passed');
  process.exit(failed ? 1 : 0);
}
