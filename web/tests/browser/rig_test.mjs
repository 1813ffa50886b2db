// SPDX-License-Identifier: Apache-2.0
// From a bare mesh to a rig, a job that is cancelled, a joint moved and bound again, cages and handles.
import { check, checkVertices, largestDistance } from './harness.mjs';

export const file = (native) => native.make('cylinder', 'bare.obj');

export const tests = {
  async 'offers to rig a bare mesh, and opens the rig with a report'({ studio }) {
    await studio.page.waitForSelector('text=This mesh has no skeleton');
    await studio.shot('bare-mesh');
    await studio.page.selectOption('.rig-panel select >> nth=0', 'cylinder');
    await studio.page.click('[data-role="rig"]');
    await studio.page.waitForFunction(() => window.sinew.joints.length >= 2 && !window.sinew.busy);
    await studio.page.waitForSelector('[data-role="report"] li');
    await studio.shot('rigged');
  },

  async 'turns the new rig'({ studio }) {
    const joint = (await studio.get('joints'))[1];
    await studio.select(joint);
    const before = await studio.positions();
    await studio.type('Rotation about Z in degrees', 45);
    await studio.moved(before);
    await studio.reset();
  },

  async 'checks the rig'({ studio }) {
    await studio.page.click('[data-role="check-panel"] summary');
    await studio.page.click('[data-role="check"]');
    await studio.page.waitForFunction(() =>
      /^Grade [A-F]/.test(document.querySelector('[data-role="check-panel"] li')?.textContent ?? ''),
    );
    await studio.shot('checked');
  },

  async 'moves a joint and binds again'({ studio }) {
    const joint = (await studio.get('joints'))[1];
    const before = await studio.head(joint);
    await studio.tool('joints');
    await studio.page.waitForFunction(() => window.sinew.movingJoints);
    await studio.page.keyboard.press('1');
    const from = await studio.screen(joint);
    await studio.drag(from, { x: from.x + 25, y: from.y + 25 });
    await studio.shot('move-joints');
    await studio.page.click('[data-role="bind-again"]');
    await studio.page.waitForFunction(
      ([j, old]) => {
        const now = window.sinew.head(j);
        return !window.sinew.busy && now.length === 3 && Math.hypot(...now.map((v, k) => v - old[k])) > 0.05;
      },
      [1, before],
    );
    await studio.page.waitForSelector('[data-role="report"] li');
  },

  async 'cancels a job, and nothing has changed'({ studio, native }) {
    await studio.choose(native.make('biped', 'body.obj'));
    await studio.shown('body.obj');
    await studio.page.click('[data-role="rig"]');
    await studio.page.click('[data-role="cancel"]');
    await studio.notice('Stopped; nothing was changed.');
    await studio.quiet();
    check((await studio.get('file')) === 'body.obj', 'the mesh is still open');
    check((await studio.get('joints')).length === 0, 'and has no joints');
  },

  async 'drags the control points of a cage, and undoes that'({ studio, native }) {
    native.make('cylinder', 'rod.glb');
    native.run('cage', 'bind', native.path('rod.glb'), '--auto', '--resolution', '5', '-o', native.path('caged.glb'));
    await dragDot(studio, native.path('caged.glb'), 'caged.glb', 'cage');
  },

  async 'moves a shape key by its slider as --key does'({ studio, native }) {
    native.run('pose', native.path('rod.glb'), '--set', 'Upper=0,0,30', '-o', native.path('bent.obj'));
    native.run(
      'keys',
      'add',
      native.path('rod.glb'),
      '--key',
      `bent=${native.path('bent.obj')}`,
      '-o',
      native.path('keyed.glb'),
    );
    await studio.choose(native.path('keyed.glb'));
    await studio.shown('keyed.glb');
    const before = await studio.positions();
    await studio.page.locator('.slider input[aria-label="bent"]').evaluate((input) => {
      input.value = '0.4';
      input.dispatchEvent(new Event('input'));
      input.dispatchEvent(new Event('change'));
    });
    await studio.moved(before);
    await checkVertices(studio, 0, native.pose(native.path('keyed.glb'), '--key', 'bent=0.4'), 'key');
    await studio.shot('keys');
  },

  async 'drags a point handle, and undoes that'({ studio, native }) {
    native.run('handles', native.path('rod.glb'), '-o', native.path('held.glb'));
    await dragDot(studio, native.path('held.glb'), 'held.glb', 'handle');
  },
};

/** Any dot of the tool, found by the cursor that it gives. */
async function dragDot(studio, path, name, tool) {
  await studio.choose(path);
  await studio.shown(name);
  await studio.tool(tool);
  await studio.idle();
  await studio.page.waitForFunction(() => window.sinew.dots().length > 0);
  const before = await studio.positions();
  const from = (await studio.page.evaluate(() => window.sinew.dots()))[0];
  await studio.drag(from, { x: from.x - 30, y: from.y - 30 });
  await studio.moved(before);
  await studio.settled();
  const pulled = await studio.positions();
  check(largestDistance(before, pulled) > 0.01, 'the mesh follows');
  await studio.shot(tool);
  const dots = () => studio.page.evaluate(() => window.sinew.dots());
  const moved = await dots();
  const steps = [
    ['Control+z', before, from],
    ['Control+Shift+z', pulled, moved[0]],
  ];
  for (const [keys, shape, dot] of steps) {
    await studio.page.keyboard.press(keys);
    await studio.settled();
    const off = largestDistance(shape, await studio.positions());
    check(off < 1e-6, `${keys}: the mesh is ${off} off`);
    const at = (await dots())[0];
    check(Math.hypot(at.x - dot.x, at.y - dot.y) < 0.5, `${keys}: the ${tool} is where it was`);
  }
}
