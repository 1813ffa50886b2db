// SPDX-License-Identifier: Apache-2.0
// The pictures of docs/studio.md, taken from the page itself.
// usage: node pictures.mjs PROGRAM PAGE FOLDER
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { palettePng } from './palette_png.mjs';
import { findChromium, launch, Native, SKIPPED, Studio } from './browser/harness.mjs';

const [program, page, folder] = process.argv.slice(2);
const path = findChromium();
const playwright = await import('playwright-core').catch(() => null);
if (!path || !playwright) {
  console.log('skipped: chromium or playwright-core is not installed');
  process.exit(SKIPPED);
}
const work = mkdtempSync(join(tmpdir(), 'sinew-pictures-'));
const native = new Native(resolve(program), work);
const browser = await launch(playwright.chromium, path);

async function turn(studio, joint, x, y, z) {
  await studio.select(joint);
  for (const [axis, value] of [
    ['X', x],
    ['Y', y],
    ['Z', z],
  ])
    await studio.type(`Rotation about ${axis} in degrees`, value);
  await studio.settled();
}

/** What the tab shows, in few colours. The browser reads its own picture. */
async function reduced(tab) {
  const png = (await tab.screenshot()).toString('base64');
  const { width, height, pixels } = await tab.evaluate(async (data) => {
    const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    context.drawImage(picture, 0, 0);
    const bytes = context.getImageData(0, 0, picture.width, picture.height).data;
    let text = '';
    for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
    return { width: picture.width, height: picture.height, pixels: btoa(text) };
  }, png);
  return palettePng(width, height, Buffer.from(pixels, 'base64'));
}

/** A fresh page with a file; light as the system asks, or dark. */
async function scene(name, file, colorScheme, act) {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme });
  const server = await native.serve(page, file);
  try {
    const studio = new Studio(tab, work);
    await studio.load(server.url, file.split('/').pop());
    await act(studio);
    await studio.settled();
    await tab.mouse.move(640, 690);
    await tab.waitForFunction(() => new Promise((done) => setTimeout(() => done(true), 900))); // the shadow comes last
    writeFileSync(join(folder, `studio_${name}.png`), await reduced(tab));
    console.log(`studio_${name}.png`);
  } finally {
    server.stop();
    await tab.close();
  }
}

/** Nearer, as by the wheel over the middle of the picture. */
async function nearer(studio, clicks, x = 606, y = 330) {
  await studio.page.mouse.move(x, y);
  for (let k = 0; k < clicks; ++k) await studio.page.mouse.wheel(0, -120);
}

try {
  const biped = native.make('biped', 'biped.glb');
  const body = native.make('biped', 'body.obj');
  const arm = native.make('arm', 'arm.glb');
  await scene('pose', biped, 'light', async (studio) => {
    await turn(studio, 'RightArm', 0, 0, 60);
    await turn(studio, 'LeftForeArm', 0, -70, 0);
    await turn(studio, 'LeftArm', 0, 0, 35);
    await nearer(studio, 3, 640, 300);
  });
  await scene('split', arm, 'light', async (studio) => {
    await turn(studio, 'ForeArm', 150, 0, 40);
    await studio.page.click('[aria-label="Two deformers side by side"]');
    await studio.page.waitForSelector('[data-role="caption-1"]:visible');
    await studio.deformer(1, 'swing-twist');
    await studio.page.keyboard.press('Escape');
    await nearer(studio, 2, 420, 350);
  });
  await scene('heat', biped, 'dark', async (studio) => {
    await studio.select('LeftUpLeg');
    await studio.page.click('.segmented [title="Weight"]');
    await studio.page.waitForSelector('[data-role="legend"]:has-text("Weight of LeftUpLeg")');
    await studio.tool('reach');
    await nearer(studio, 4, 620, 420);
  });
  await scene('reference', arm, 'light', async (studio) => {
    await turn(studio, 'ForeArm', 0, 0, 80);
    await studio.page.click('[aria-label="Two deformers side by side"]');
    await studio.page.waitForSelector('[data-role="caption-1"]:visible');
    await studio.deformer(1, 'dqs');
    await studio.page.click('[title="Distance to the elastic reference"]');
    await studio.page.click('[data-role="compute-reference"]');
    await studio.page.waitForFunction(() => window.sinew.heat?.figures.length === 2);
    await studio.page.keyboard.press('k');
    await nearer(studio, 2, 420, 350);
  });
  await scene('rig', body, 'light', async (studio) => {
    await studio.page.click('[data-role="rig"]');
    await studio.page.waitForFunction(
      () => Number(document.querySelector('.rig-panel [role="progressbar"]')?.getAttribute('aria-valuenow')) >= 20,
    );
  });
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}
