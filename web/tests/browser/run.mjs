// SPDX-License-Identifier: Apache-2.0
// The page in a real browser.
// usage: node run.mjs PROGRAM PAGE SCREENSHOTS [pose|rig|robust|paint|graphics ...]
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findChromium, launch, Native, SKIPPED, Studio } from './harness.mjs';

const [program, page, shots, ...names] = process.argv.slice(2);

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(SKIPPED);
}

const browserPath = findChromium();
if (!browserPath) skip('chromium is not installed, ./dev test installs it');
if (!existsSync(join(page, 'index.html')) || !existsSync(join(page, 'wasm', 'sinew.wasm')))
  skip('the page is not built, ./dev page builds it');
const playwright = await import('playwright-core').catch(() => null);
if (!playwright) skip('playwright-core is not installed, ./dev page installs it');

/** One file of tests: a program, a page, and its tests in their order. */
async function runFile(browser, name) {
  const module = await import(`./${name}_test.mjs`);
  const folder = mkdtempSync(join(tmpdir(), 'sinew-browser-'));
  const native = new Native(resolve(program), folder);
  let failures = 0;
  let server = null;
  const tab = await browser.newPage({
    viewport: { width: 1280, height: 720 },
    colorScheme: 'light',
    acceptDownloads: true,
  });
  const studio = new Studio(tab, shots);
  try {
    const path = (studio.arm = module.file(native));
    server = await native.serve(page, path);
    await studio.load(server.url, path.split('/').pop());
    for (const [title, test] of Object.entries(module.tests)) {
      const started = Date.now();
      try {
        await tab.setViewportSize({ width: 1280, height: 720 }); // whatever the test before left
        await test({ studio, native, server, arm: path });
        if (studio.faults.length) throw new Error(`the console says: ${studio.faults.splice(0).join('; ')}`);
        console.log(`ok   ${name}: ${title} (${Date.now() - started} ms)`);
      } catch (error) {
        ++failures;
        console.log(`FAIL ${name}: ${title}\n     ${error.message}`);
        studio.faults.length = 0;
        await studio.shot(`failed-${name}-${failures}`).catch(() => undefined);
      }
    }
  } catch (error) {
    ++failures;
    console.log(`FAIL ${name}: could not start\n     ${error.message}\n     ${studio.faults.join('; ')}`);
    await studio.shot(`failed-${name}`).catch(() => undefined);
  } finally {
    server?.stop();
    await tab.close().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  }
  return failures;
}

mkdirSync(shots, { recursive: true });
const browser = await launch(playwright.chromium, browserPath);
let failures = 0;
for (const name of names.length ? names : ['pose', 'rig', 'robust', 'paint', 'graphics'])
  failures += await runFile(browser, name);
await browser.close();
console.log(failures ? `${failures} failed` : 'all passed');
process.exit(failures ? 1 : 0);
