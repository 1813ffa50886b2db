// SPDX-License-Identifier: Apache-2.0
// Bad files, lost graphics, a worker that dies, a program that is gone.
import { writeFileSync } from 'node:fs';
import { check } from './harness.mjs';

export const file = (native) => native.make('cylinder', 'cylinder.glb');

export const tests = {
  async 'says what is wrong with a file, by its name, and keeps what is open'({ studio, native }) {
    const shown = await studio.positions();
    writeFileSync(native.path('broken.glb'), 'this is not a glTF');
    await studio.choose(native.path('broken.glb'));
    const notice = await studio.notice('broken.glb');
    await studio.shot('broken-file');
    await (await notice.$('button[aria-label="Dismiss"]')).click();
    check((await studio.page.locator('[data-role="notice"]').count()) === 0, 'the notice goes');
    check((await studio.get('file')) === 'cylinder.glb', 'the old file stays');
    check(
      (await studio.positions()).every((v, i) => v === shown[i]),
      'and its vertices',
    );
  },

  async 'recovers from a lost graphics context, and tells'({ studio }) {
    await studio.page.evaluate(() => {
      const context = document.querySelector('.stage > canvas').getContext('webgl2');
      window.__lose = context.getExtension('WEBGL_lose_context');
      window.__lose.loseContext();
    });
    await studio.notice('The graphics context was lost');
    await studio.page.evaluate(() => window.__lose.restoreContext());
    await studio.notice('The graphics context was restored');
    await studio.select('Upper').catch(() => undefined);
    check((await studio.colourful()) > 0.002, 'the skeleton is drawn again');
    await studio.shot('context-restored');
  },

  async 'recovers from a worker that died, with the pose that it had'({ studio }) {
    const name = (await studio.get('joints'))[1];
    await studio.select(name);
    const before = await studio.positions();
    await studio.type('Rotation about Z in degrees', 40);
    await studio.moved(before);
    const bent = await studio.positions();
    const [worker] = studio.page.workers();
    await worker.evaluate(() =>
      setTimeout(() => {
        throw new Error('a fault on purpose');
      }),
    );
    await studio.notice('The deformer was restarted');
    check(
      (await studio.positions()).every((v, i) => Math.abs(v - bent[i]) < 1e-6),
      'the pose is back',
    );
    await studio.type('Rotation about Z in degrees', 10);
    await studio.moved(bent);
    studio.faults.length = 0; // the fault on purpose
  },

  async 'pins vertices and drags one, the others held'({ studio }) {
    await studio.quiet();
    await studio.tool('pin');
    const box = await studio.page.locator('.stage > canvas').boundingBox();
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const places = await studio.page.evaluate(() => [0, 1].map((j) => window.sinew.screen(j)));
    const ends = [places[0], places[places.length - 1]];
    for (const p of [
      { x: ends[0].x + 6, y: ends[0].y },
      { x: ends[1].x, y: ends[1].y },
    ])
      await studio.page.mouse.click(p.x, p.y);
    await studio.page.waitForSelector('text=2 vertices are pinned');
    const before = await studio.positions();
    await studio.drag(ends[1], { x: (ends[1].x + middle.x) / 2 + 50, y: ends[1].y - 40 });
    await studio.moved(before);
    const pins = await studio.get('pins');
    check(
      pins.length === 2 &&
        Math.hypot(...[0, 1, 2].map((k) => pins[1].target[k] - before[3 * pins[1].vertex + k])) > 0.1,
      'the second pin was dragged',
    );
    await studio.page.waitForFunction(
      (all) =>
        all.every(
          ({ vertex, target }) =>
            Math.hypot(...target.map((v, k) => v - window.sinew.positions(0)[3 * vertex + k])) < 1e-3,
        ),
      pins,
    );
    await studio.shot('pins');
    await studio.page.click('text=Remove all pins');
    await studio.page.keyboard.press('r');
  },

  async 'works in the dark, on a tablet, and with the keyboard'({ studio }) {
    await studio.page.emulateMedia({ colorScheme: 'dark' });
    await studio.page.waitForSelector('html[data-theme="dark"]');
    await studio.shot('dark');
    await studio.page.setViewportSize({ width: 820, height: 1180 });
    await studio.page.click('[aria-label="Show or hide the settings"]');
    await studio.page.waitForSelector('.side.right:visible');
    await studio.shot('tablet');
    await studio.page.setViewportSize({ width: 1280, height: 720 });
    await studio.page.keyboard.press('?');
    await studio.page.waitForSelector('dialog.help[open]');
    await studio.shot('help');
    await studio.page.keyboard.press('Escape');
    await studio.page.emulateMedia({ colorScheme: 'light' });
  },

  async 'keeps every button of the top bar in reach, whatever the width'({ studio }) {
    for (const width of [1280, 1101, 1100, 1024, 961, 960, 820, 768, 700]) {
      await studio.page.setViewportSize({ width, height: 720 });
      const cut = await studio.page.$$eval('.topbar button', (buttons) =>
        buttons
          .map((button) => [button.getBoundingClientRect(), button.ariaLabel ?? button.textContent])
          .filter(([box]) => box.right > window.innerWidth || box.left < 0)
          .map(([, name]) => name),
      );
      check(cut.length === 0, `${width} pixels wide, outside the window: ${cut.join(', ')}`);
    }
    await studio.page.setViewportSize({ width: 390, height: 844 });
    await studio.page.click('[aria-label="Show or hide the settings"]'); // a phone: the bar scrolls
    await studio.page.click('[aria-label="Show or hide the settings"]');
    await studio.page.setViewportSize({ width: 1280, height: 720 });
  },

  async 'says when its server is gone'({ studio, server }) {
    server.stop();
    await studio.page.click('[title="Distance to the elastic reference"]');
    await studio.page.click('[data-role="compute-reference"]');
    await studio.notice('does not respond');
    studio.faults.length = 0; // the browser notes the refused connection
  },
};
