// SPDX-License-Identifier: Apache-2.0
// The page from a plain file server, without a program behind it: a mesh with a texture becomes a rig, a kneecap is
// painted stiff, and it is exported for the web. That three.js plays such files is shown by export_run.mjs.
// usage: node static_run.mjs PROGRAM PAGE SCREENSHOTS
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, resolve, sep } from 'node:path';
import { check, findChromium, launch, Native, SKIPPED, Studio } from './harness.mjs';
import { paintTexture, readGlb } from './textured.mjs';

const [program, page, shots] = process.argv.slice(2);
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
};

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(SKIPPED);
}
const browserPath = findChromium();
if (!browserPath) skip('chromium is not installed, ./dev test installs it');
if (!existsSync(join(page, 'wasm', 'sinew.wasm'))) skip('the page is not built, ./dev page builds it');
const playwright = await import('playwright-core').catch(() => null);
if (!playwright) skip('playwright-core is not installed, ./dev page installs it');

/** Files of folders, by the prefix of their addresses, and nothing else: no headers that a plain host lacks. */
async function serve(folders) {
  const asked = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://here').pathname);
    asked.push(`${request.method} ${path}`);
    const prefix = Object.keys(folders).find((name) => path.startsWith(name));
    const root = prefix && resolve(folders[prefix]);
    const file = prefix && resolve(root, path.slice(prefix.length) || 'index.html');
    if (!file || !(file + sep).startsWith(root + sep) || !existsSync(file) || !statSync(file).isFile())
      return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    return response.end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}/`, asked, stop: () => server.close() };
}

mkdirSync(shots, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'sinew-static-'));
const native = new Native(resolve(program), folder);
let browser = null,
  site = null,
  failed = false;
const step = (text) => console.log(`ok   static: ${text} (${Math.round(performance.now() / 1000)} s)`);
try {
  native.make('biped', 'mesh.obj', '--resolution', '1000');
  native.run('convert', native.path('mesh.obj'), '-o', native.path('hero.glb'));
  paintTexture(native.path('hero.glb'));
  writeFileSync(native.path('list.json'), '[]');
  site = await serve({ '/examples/': folder, '/': page });
  browser = await launch(playwright.chromium, browserPath);
  const tab = await browser.newPage({ viewport: { width: 1280, height: 720 }, acceptDownloads: true });
  const studio = new Studio(tab, shots);
  await studio.open(site.url);
  check(await studio.get('alone'), 'the page knows that nobody is behind it');
  await studio.choose(native.path('hero.glb'));
  await studio.shown('hero.glb');
  await tab.waitForFunction(() => window.sinew.dressed);
  await studio.shot('static-textured');
  step('opens a mesh with a texture');

  await tab.click('[data-role="rig"]');
  await tab.waitForSelector('[data-role="stage"]:visible');
  await tab.waitForFunction(() => !window.sinew.working && window.sinew.joints.length > 10, null, { timeout: 240_000 });
  await studio.idle();
  await tab.waitForFunction(() => window.sinew.dressed);
  await studio.shot('static-rigged');
  step('makes a rig of it');

  await tab.keyboard.press('1');
  await studio.select('LeftLeg');
  await tab.keyboard.press('f');
  await studio.tool('paint');
  await tab.click('[data-role="paint"] [data-value="stiffness"]');
  await tab.click('[data-role="paint"] [data-value="replace"]');
  await studio.idle();
  const knee = await studio.screen('LeftLeg');
  await studio.drag(knee, { x: knee.x + 12, y: knee.y + 6 });
  await tab.waitForFunction(() => window.sinew.strokes === 1 && window.sinew.settled);
  const stiffness = await tab.evaluate(() => window.sinew.painted('stiffness', -1));
  check(Math.max(...stiffness) > 5, 'the kneecap is stiff');
  check(stiffness.filter((v) => v !== 1).length < stiffness.length / 4, 'and the rest is not');
  await studio.shot('static-kneecap');
  step('paints a kneecap');

  await tab.click('[data-role="export-panel"] summary');
  const saved = await studio.download(() => tab.click('[data-role="export"]'));
  check(saved.name === 'hero.web.glb', `the file is ${saved.name}`);
  copyFileSync(saved.path, native.path('exported.glb'));
  const report = await tab.textContent('[data-role="report"]');
  check(/helper joints/.test(report), report);
  check(
    site.asked.every((line) => line.startsWith('GET ')),
    'the mesh never left the browser',
  );
  check(studio.faults.length === 0, `the console says: ${studio.faults.join('; ')}`);
  step('exports for the web');

  const { json } = readGlb(native.path('exported.glb'));
  check(json.images?.length === 1 && !json.extensionsRequired, 'the picture is there, and no extension is needed');
  step('and the file is plain glTF with its texture');
} catch (error) {
  failed = true;
  console.log(`FAIL ${error.message}`);
  const tab = browser?.contexts()[0]?.pages()[0];
  await tab?.screenshot({ path: join(shots, 'failed-static.png') }).catch(() => undefined);
} finally {
  await browser?.close();
  site?.stop();
  rmSync(folder, { recursive: true, force: true });
}
console.log(failed ? 'failed' : 'passed');
process.exit(failed ? 1 : 0);
