// SPDX-License-Identifier: Apache-2.0
// The page from a plain file server, without a program behind it: a mesh with a texture is dropped on it and becomes a rig,
// a kneecap is painted stiff and its flesh solved, a motion is retargeted, and a page of three.js that knows nothing of
// sinew plays what is exported for the web.
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
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, distances, findChromium, launch, Native, readObj, sizeOf, SKIPPED, Studio } from './harness.mjs';
import { paintTexture, readGlb } from './textured.mjs';
import { pageOf, player, THREE } from './three_page.mjs';

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

/** As the browser tells it when a file is let go over the page. */
function drop(tab, path) {
  const data = readFileSync(path).toString('base64');
  return tab.evaluate(
    ({ name, data }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    },
    { name: path.split('/').pop(), data },
  );
}

/** The mean change of length, over the length, of edges between vertices of a set. */
function stretch(edges, inside, before, after) {
  const length = (p, a, b) => Math.hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1], p[3 * a + 2] - p[3 * b + 2]);
  let sum = 0,
    count = 0;
  for (const [a, b] of edges) {
    if (!inside.has(a) || !inside.has(b)) continue;
    sum += Math.abs(length(after, a, b) / length(before, a, b) - 1);
    ++count;
  }
  check(count > 4, `${count} edges`);
  return sum / count;
}

/** The vertex nearest to the mirror image of one. */
function mirrored(p, i) {
  let best = -1,
    least = Infinity;
  for (let k = 0; k < p.length / 3; ++k) {
    const far = (p[3 * k] + p[3 * i]) ** 2 + (p[3 * k + 1] - p[3 * i + 1]) ** 2 + (p[3 * k + 2] - p[3 * i + 2]) ** 2;
    if (far < least) [best, least] = [k, far];
  }
  return best;
}

function edgesOf(obj) {
  return readFileSync(obj, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('f '))
    .flatMap((line) => {
      const corners = line
        .slice(2)
        .trim()
        .split(/\s+/)
        .map((c) => parseInt(c) - 1);
      return corners.map((a, k) => [a, corners[(k + 1) % corners.length]]);
    });
}

mkdirSync(shots, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'sinew-static-'));
const native = new Native(resolve(program), folder);
let browser = null,
  site = null,
  failed = false;
const step = (text) => console.log(`ok   static: ${text} (${Math.round(performance.now() / 1000)} s)`);
try {
  native.make('biped', 'mesh.obj', '--resolution', '700');
  native.run('convert', native.path('mesh.obj'), '-o', native.path('hero.glb'));
  paintTexture(native.path('hero.glb'));
  writeFileSync(native.path('list.json'), '[]');
  native.make('biped', 'walk.glb', '--resolution', '600');
  const three = dirname(dirname(createRequire(import.meta.url).resolve('three')));
  site = await serve({ '/examples/': folder, '/three/': three, '/': page });
  browser = await launch(playwright.chromium, browserPath);
  const fromFile = await browser.newPage();
  await fromFile.goto(pathToFileURL(resolve(page, 'index.html')).href);
  check(/python3 -m http.server/.test(await fromFile.textContent('body')), 'a page from a file says how it runs');
  await fromFile.close();
  step('says what to do where it cannot run');
  const tab = await browser.newPage({ viewport: { width: 1280, height: 720 }, acceptDownloads: true });
  const studio = new Studio(tab, shots);
  await studio.open(site.url);
  check(await studio.get('alone'), 'the page knows that nobody is behind it');
  await drop(tab, native.path('hero.glb'));
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

  const done = (what) => tab.waitForFunction(what, null, { timeout: 240_000 });
  const busy = () => tab.waitForFunction(() => window.sinew.working);
  const solve = () => tab.click('[data-role="solve"]');
  await solve();
  await tab.waitForFunction(() =>
    /\d %/.test(document.querySelector('[data-role="paint"] [data-role="stage"]').textContent),
  );
  await tab.click('[data-role="paint"] [data-role="cancel"]');
  await studio.notice('Stopped; nothing was changed.');
  await studio.quiet();
  await solve();
  await busy();
  await done(() => !window.sinew.working && window.sinew.canUndo);
  await studio.idle();
  await studio.shot('static-flesh');
  step('makes flesh of it, at the second try: the first was cancelled');

  await tab.setInputFiles('#motion-input', native.path('walk.glb'));
  await busy();
  await done(() => !window.sinew.working);
  await studio.idle();
  step('retargets a walk');

  const rig = await studio.save('Rig in this pose');
  copyFileSync(rig.path, native.path('rig.glb'));
  await tab.click('[data-role="export-panel"] summary');
  for (const [label, count] of [
    ['Helper joints', '8'],
    ['Morph targets', '4'],
  ]) {
    await tab.getByLabel(label).fill(count);
    await tab.getByLabel(label).press('Enter');
  }
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

  // The painted knee and the other one, both bent: flesh that is stiff keeps its shape.
  const own = readGlb(native.path('rig.glb'));
  check(own.json.extensions.SINEW_rig.flesh, 'the rig has flesh');
  const bent = native.pose(
    native.path('rig.glb'),
    '--set',
    'LeftLeg=80,0,0',
    '--set',
    'RightLeg=80,0,0',
    '--deformer',
    'flesh',
  );
  native.run('pose', native.path('rig.glb'), '-o', native.path('rest.obj'));
  const rest = readObj(native.path('rest.obj'));
  check(bent.length === rest.length, 'one mesh');
  const cap = new Set(stiffness.flatMap((v, i) => (v > 5 ? [i] : [])));
  const other = new Set([...cap].map((i) => mirrored(rest, i)));
  const edges = edgesOf(native.path('rest.obj'));
  const [stiff, plain] = [stretch(edges, cap, rest, bent), stretch(edges, other, rest, bent)];
  console.log(
    `     edges of the kneecap change by ${(100 * stiff).toFixed(1)} %, of the other by ${(100 * plain).toFixed(1)} %`,
  );
  check(stiff < 0.7 * plain, 'the painted knee is no stiffer than the other');
  step('the kneecap is stiff in the flesh');

  const { json } = readGlb(native.path('exported.glb'));
  check(json.images?.length === 1 && !json.extensionsRequired, 'the picture is there, and no extension is needed');
  const said = json.extras.sinew_export;
  writeFileSync(native.path('player.html'), pageOf(THREE, player('/examples/exported.glb')));
  const viewer = await browser.newPage({ viewport: { width: 560, height: 560 } });
  await viewer.goto(`${site.url}examples/player.html`);
  await viewer.waitForFunction('window.ready === true');
  const duration = await viewer.evaluate('window.duration');
  const off = [];
  // Halfway between keys, where the certificate measures.
  for (const share of [0.13, 0.41, 0.66, 0.87]) {
    const time = ((Math.floor(30 * share * duration) + 0.5) / 30).toFixed(6);
    const shown = await viewer.evaluate(`window.verticesAt(${time})`);
    const wanted = native.pose(native.path('rig.glb'), '--clip', '0', '--time', time, '--deformer', 'flesh');
    check(shown.length === wanted.length, `${shown.length / 3} vertices for ${wanted.length / 3}`);
    // Of the size at rest, as in the certificate.
    const scale = sizeOf(wanted) / sizeOf(rest);
    off.push(...distances(wanted, shown).map((far) => far * scale));
  }
  off.sort((x, y) => x - y);
  console.log(
    `     three.js: farthest ${(100 * off.at(-1)).toFixed(3)} % of the size, certificate ${(100 * said.clips.max).toFixed(3)} %`,
  );
  check(off.at(-1) <= 1.02 * said.clips.max + 1e-5, 'further off than the certificate says');
  step('and an untouched page of three.js plays it as the certificate says');
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
