// SPDX-License-Identifier: Apache-2.0
// Deformers on the graphics card: the same vertices, normals and picture as by WebAssembly.
import { check, largestDistance, sizeOf, Studio } from './harness.mjs';

export const file = (native) => {
  native.make('arm', 'bare.glb', '--resolution', '1500');
  native.run('rig', native.path('bare.glb'), '-o', native.path('arm.glb'));
  return native.path('arm.glb');
};

const onCard = (studio) =>
  studio.page
    .waitForFunction(
      () => window.sinew.drawn.slots[0] === 0 && window.sinew.drawn.frame[0] && window.sinew.settled,
      null,
      {
        timeout: 20_000,
      },
    )
    .catch(async () => {
      throw new Error(`it stays in WebAssembly: ${await studio.get('notDrawn')}`);
    });
const inWorker = (studio) =>
  studio.page.waitForFunction(() => !window.sinew.drawn.frame[0] && window.sinew.settled, null, { timeout: 20_000 });
const normals = (studio) => studio.page.evaluate(() => window.sinew.normals(0));

/** Turns of all joints, none of them small. */
async function bend(studio) {
  for (const [joint, axis, degrees] of [
    ['UpperArm', 'Y', 20],
    ['ForeArm', 'Z', 70],
    ['Hand', 'X', 50],
  ]) {
    await studio.select(joint);
    await studio.settled();
    const before = await studio.positions();
    await studio.type(`Rotation about ${axis} in degrees`, degrees);
    await studio.moved(before);
    await studio.settled();
  }
}

export const tests = {
  async 'every deformer with a shader makes the vertices and normals of WebAssembly'({ studio }) {
    await studio.page.keyboard.press('1');
    for (const name of ['lbs', 'dqs', 'swing-twist', 'joint-dqs', 'stretch-lbs', 'stretch-dqs', 'flesh']) {
      await studio.deformer(0, name);
      await onCard(studio);
      await bend(studio);
      await onCard(studio);
      const [drawn, tilted] = [await studio.positions(), await normals(studio)];
      await studio.tool('pin');
      await inWorker(studio);
      const [made, straight] = [await studio.positions(), await normals(studio)];
      const off = largestDistance(drawn, made) / sizeOf(made);
      const turned = largestDistance(tilted, straight);
      console.log(`     ${name}: vertices ${off.toExponential(1)} of the size, normals ${turned.toExponential(1)}`);
      check(off < 1e-5, `${name}: ${off} of the size`);
      check(turned < 0.02, `${name}: normals ${turned} apart`);
      await studio.tool('rotate');
      await studio.reset();
      const back = largestDistance(made, await studio.positions()) / sizeOf(made);
      check(back > 0.1, `the pose was another one: ${back}`);
    }
  },

  async 'the picture is the same'({ studio, server }) {
    await studio.deformer(0, 'dqs');
    await bend(studio);
    await onCard(studio);
    const clip = await studio.page.locator('.stage > canvas').boundingBox();
    const other = await studio.page
      .context()
      .browser()
      .newPage({ viewport: studio.page.viewportSize(), colorScheme: 'light' });
    await other.goto(`${server.url}&gpu=0`);
    const plain = new Studio(other, studio.shots);
    await plain.shown('arm.glb');
    await other.keyboard.press('1');
    await plain.deformer(0, 'dqs');
    await bend(plain);
    check((await plain.get('drawn')).slots.length === 0, 'the other page uses WebAssembly');
    const pictures = [];
    for (const page of [studio.page, other]) {
      await page.mouse.move(5, 5);
      await page.waitForTimeout(1000); // the shadow comes to rest
      pictures.push((await page.screenshot({ clip })).toString('base64'));
    }
    await other.close();
    const share = await studio.page.evaluate(async (both) => {
      const pixels = await Promise.all(
        both.map(async (data) => {
          const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
          const picture = await createImageBitmap(new Blob([bytes]));
          const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
          context.drawImage(picture, 0, 0);
          return context.getImageData(0, 0, picture.width, picture.height).data;
        }),
      );
      let apart = 0;
      for (let i = 0; i < pixels[0].length; i += 4)
        if ([0, 1, 2].some((k) => Math.abs(pixels[0][i + k] - pixels[1][i + k]) > 24)) ++apart;
      return apart / (pixels[0].length / 4);
    }, pictures);
    check(share < 0.002, `${(100 * share).toFixed(2)} % of the pixels differ`);
  },

  async 'painted weights come to the graphics card, and vertices back for the brush'({ studio }) {
    const before = await studio.positions();
    await studio.select('ForeArm');
    await studio.tool('paint');
    await studio.idle();
    await inWorker(studio);
    await studio.page.click('[data-role="paint"] [data-value="weight"]');
    await studio.page.click('[data-role="flood"]');
    await studio.page.waitForFunction(() => window.sinew.strokes === 1 && window.sinew.settled);
    const painted = await studio.positions();
    check(largestDistance(before, painted) > 0.01 * sizeOf(before), 'the flood moves the mesh');
    await studio.tool('rotate');
    await onCard(studio);
    const off = largestDistance(painted, await studio.positions()) / sizeOf(before);
    check(off < 1e-5, `${off} of the size from what was painted`);
    await studio.page.keyboard.press('Control+z');
    await studio.page.waitForFunction(() => window.sinew.strokes === 0 && window.sinew.settled);
    await onCard(studio);
    const back = largestDistance(before, await studio.positions()) / sizeOf(before);
    check(back < 1e-5, `undone there, too: ${back}`);
  },

  async 'a lost graphics context brings it back where it was'({ studio }) {
    const before = await studio.positions();
    await studio.page.evaluate(() => {
      const context = document.querySelector('.stage > canvas').getContext('webgl2');
      window.__lose = context.getExtension('WEBGL_lose_context');
      window.__lose.loseContext();
    });
    await studio.notice('The graphics context was lost');
    await inWorker(studio);
    await studio.page.evaluate(() => window.__lose.restoreContext());
    await studio.notice('The graphics context was restored');
    await studio.quiet();
    await onCard(studio);
    check(largestDistance(before, await studio.positions()) < 1e-5 * sizeOf(before), 'the same vertices');
  },

  async 'keys, cages and other deformers stay in WebAssembly, and say why'({ studio, native }) {
    await studio.deformer(0, 'mix');
    await studio.page.waitForFunction(() => /mix/.test(window.sinew.notDrawn[0]));
    check(!(await studio.get('drawn')).frame[0], 'it is not on the graphics card');
    native.run('pose', native.path('bare.glb'), '--set', 'Hand=0,0,30', '-o', native.path('bent.obj'));
    const key = `bent=${native.path('bent.obj')}`;
    native.run('keys', 'add', native.path('bare.glb'), '--key', key, '-o', native.path('keyed.glb'));
    await studio.choose(native.path('keyed.glb'));
    await studio.shown('keyed.glb');
    await onCard(studio);
    const set = (value) =>
      studio.page.locator('.slider input[aria-label="bent"]').evaluate((input, v) => {
        input.value = v;
        input.dispatchEvent(new Event('input'));
        input.dispatchEvent(new Event('change'));
      }, value);
    await set('0.4');
    await inWorker(studio);
    const wanted = native.pose(native.path('keyed.glb'), '--key', 'bent=0.4');
    check(largestDistance(await studio.positions(), wanted) < 1e-5 * sizeOf(wanted), 'the key moves the mesh');
    await set('0');
    await onCard(studio);
  },

  async 'frames a second are told, and what draws them'({ studio }) {
    await studio.choose(studio.arm);
    await studio.shown('arm.glb');
    await onCard(studio);
    await studio.page.keyboard.press('Space');
    await studio.page.waitForFunction(() => window.sinew.fps > 0);
    const stats = studio.page.locator('[data-role="stats"]');
    check(/GPU/.test(await stats.textContent()), 'the line says that the graphics card deforms');
    check(/\d+ frames\/s/.test(await stats.textContent()), 'and how many frames it makes');
    check((await stats.locator('[title^="Drawn by"]').getAttribute('title')).length > 12, 'and its name');
    await studio.page.keyboard.press('Space');
  },
};
