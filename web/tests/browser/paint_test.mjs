// SPDX-License-Identifier: Apache-2.0
// Painted weights and stiffness, materials, fingers, and undo of all of it.
import { check, largestDistance, sizeOf } from './harness.mjs';
import { paintTexture } from './textured.mjs';

export const file = (native) => native.make('arm', 'arm.glb', '--resolution', '3000');

const painted = (studio, kind, joint = -1) =>
  studio.page.evaluate(([k, j]) => window.sinew.painted(k, j), [kind, joint]);
const undo = async (studio) => {
  await studio.page.keyboard.press('Control+z');
  await studio.settled();
};
const apart = (a, b) => Math.max(...a.map((v, i) => Math.abs(v - b[i])));
const clean = (values) => values.map((v) => (Number.isNaN(v) ? 0 : v));

/** A stroke across the middle of a joint, over the mesh. */
async function stroke(studio, name, way = 30) {
  const at = await studio.screen(name);
  await studio.page.mouse.move(at.x - way, at.y);
  await studio.page.mouse.down();
  for (let k = -2; k <= 3; ++k) await studio.page.mouse.move(at.x + (way * k) / 3, at.y);
  await studio.page.mouse.up();
  await studio.page.waitForFunction(() => window.sinew.settled);
}

export const tests = {
  async 'a stroke changes the weight of the joint, the mesh follows, and undo takes it back'({ studio }) {
    await studio.page.keyboard.press('1');
    await studio.select('ForeArm');
    await studio.type('Rotation about Z in degrees', 50);
    await studio.settled();
    await studio.tool('paint');
    await studio.idle();
    const joint = await studio.joint('ForeArm');
    const before = clean(await painted(studio, 'weight', joint));
    const shape = await studio.positions();
    await stroke(studio, 'ForeArm');
    await studio.page.waitForFunction(() => window.sinew.strokes === 1);
    const after = clean(await painted(studio, 'weight', joint));
    check(apart(after, before) > 0.1, 'the weights are others');
    check(
      after.every((w, i) => w >= before[i] - 1e-6),
      'nothing of the joint went away',
    );
    check(largestDistance(await studio.positions(), shape) > 0.002 * sizeOf(shape), 'the mesh has moved');
    await studio.shot('paint-weight');
    await undo(studio);
    check(apart(clean(await painted(studio, 'weight', joint)), before) === 0, 'the weights are back');
    check(largestDistance(await studio.positions(), shape) < 1e-7, 'and the mesh');
    await studio.page.keyboard.press('Control+Shift+z');
    await studio.settled();
    check(apart(clean(await painted(studio, 'weight', joint)), after) === 0, 'and come again');
    await undo(studio);
  },

  async 'replace, smooth, flood and lock'({ studio }) {
    const joint = await studio.joint('ForeArm');
    const other = await studio.joint('UpperArm');
    const before = clean(await painted(studio, 'weight', joint));
    await studio.select('UpperArm');
    await studio.page.click('[data-role="lock"] input');
    await studio.select('ForeArm');
    const locked = clean(await painted(studio, 'weight', other));
    await studio.page.click('[data-role="paint"] [data-value="smooth"]');
    await studio.page.click('[data-role="flood"]');
    await studio.page.waitForFunction(() => window.sinew.strokes === 1);
    const smooth = clean(await painted(studio, 'weight', joint));
    check(apart(smooth, before) > 1e-3, 'a flood reaches all');
    check(apart(clean(await painted(studio, 'weight', other)), locked) < 1e-6, 'a locked joint keeps its weights');
    await undo(studio);
    check(apart(clean(await painted(studio, 'weight', joint)), before) === 0, 'undone');
    await studio.select('UpperArm');
    await studio.page.click('[data-role="lock"] input');
    await studio.page.click('[data-role="paint"] [data-value="replace"]');
  },

  async 'a pen that presses lightly paints less'({ studio }) {
    const session = await studio.page.context().newCDPSession(studio.page);
    await studio.page.click('[data-role="paint"] [data-value="stiffness"]');
    await studio.idle();
    const at = await studio.screen('ForeArm');
    const dab = async (force) => {
      const event = (type, buttons) =>
        session.send('Input.dispatchMouseEvent', {
          type,
          x: at.x,
          y: at.y,
          button: 'left',
          buttons,
          clickCount: 1,
          pointerType: 'pen',
          force,
        });
      await event('mousePressed', 1);
      await event('mouseReleased', 0);
      await studio.page.waitForFunction(() => window.sinew.strokes === 1 && window.sinew.settled);
      const most = Math.max(...(await painted(studio, 'stiffness')));
      await undo(studio);
      return most;
    };
    const [light, hard] = [await dab(0.2), await dab(1)];
    check(light > 1.5 && hard > 2 * light, `0.2 of the pressure gives ${light}, all of it ${hard}`);
  },

  async 'a finger paints, two fingers move the view and leave no paint'({ studio }) {
    const session = await studio.page.context().newCDPSession(studio.page);
    const at = await studio.screen('ForeArm');
    const touch = (type, ...points) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    await touch('touchStart', [at.x, at.y]);
    await touch('touchMove', [at.x + 20, at.y]);
    await touch('touchEnd');
    await studio.page.waitForFunction(() => window.sinew.strokes === 1 && window.sinew.settled);
    await undo(studio);
    const camera = await studio.get('camera');
    await touch('touchStart', [at.x - 10, at.y]);
    await touch('touchStart', [at.x - 10, at.y], [at.x + 60, at.y]);
    for (let k = 1; k <= 6; ++k) await touch('touchMove', [at.x - 10 - 12 * k, at.y], [at.x + 60 + 12 * k, at.y]);
    await touch('touchEnd');
    await studio.settled();
    const now = await studio.get('camera');
    const far = (c) => Math.hypot(c[0] - c[3], c[1] - c[4], c[2] - c[5]);
    check(far(now) < 0.8 * far(camera), `a pinch comes nearer: ${far(camera)} to ${far(now)}`);
    await studio.page.waitForFunction(() => window.sinew.strokes === 0);
    check(Math.max(...(await painted(studio, 'stiffness'))) === 1, 'nothing was painted');
    await studio.page.keyboard.press('0');
  },

  async 'pins are undone'({ studio }) {
    await studio.tool('pin');
    await studio.page.keyboard.press('1');
    const at = await studio.screen('ForeArm');
    await studio.page.mouse.click(at.x, at.y);
    await studio.page.waitForFunction(() => window.sinew.pins.length === 1);
    const hand = await studio.screen('Hand');
    await studio.page.mouse.click(hand.x, hand.y);
    await studio.page.waitForFunction(() => window.sinew.pins.length === 2);
    const dots = await studio.page.evaluate(() => window.sinew.dots());
    await studio.drag(dots[1], { x: dots[1].x, y: dots[1].y - 60 });
    const target = (await studio.get('pins'))[1].target;
    await undo(studio);
    check(
      Math.hypot(...(await studio.get('pins'))[1].target.map((v, k) => v - target[k])) > 1e-3,
      'the drag is undone',
    );
    await undo(studio);
    await studio.page.waitForFunction(() => window.sinew.pins.length === 1);
    await studio.page.keyboard.press('Control+Shift+z');
    await studio.page.waitForFunction(() => window.sinew.pins.length === 2);
    await studio.tool('rotate');
    await studio.page.waitForFunction(() => window.sinew.pins.length === 0);
  },

  async 'materials are shown, clay is a mode'({ studio, native }) {
    native.make('biped', 'textured.obj');
    native.run('convert', native.path('textured.obj'), '-o', native.path('textured.glb'));
    paintTexture(native.path('textured.glb'));
    await studio.choose(native.path('textured.glb'));
    await studio.shown('textured.glb');
    await studio.page.waitForFunction(() => window.sinew.dressed);
    await studio.page.keyboard.press('1');
    const colours = await studio.hues();
    await studio.shot('textured');
    check(colours.red > 0.01 && colours.blue > 0.01, `red ${colours.red}, blue ${colours.blue} of the picture`);
    await studio.page.keyboard.press('m');
    const clay = await studio.hues();
    await studio.shot('clay');
    check(clay.red < 0.001 && clay.blue < 0.001, 'clay has no colours');
    await studio.page.keyboard.press('m');
  },

  async 'materials glow, are cut out and move their texture as the file says'({ studio, native }) {
    const show = async (name, material) => {
      native.run('convert', native.path('textured.obj'), '-o', native.path(name));
      paintTexture(native.path(name), material);
      await studio.choose(native.path(name));
      await studio.shown(name);
      await studio.page.waitForFunction(() => window.sinew.dressed);
      await studio.page.keyboard.press('1');
      await studio.shot(name.replace('.glb', ''));
      return studio.hues();
    };
    const texture = { index: 0 };
    const dark = { baseColorFactor: [0, 0, 0, 1], metallicFactor: 0 };
    const glows = await show('glows.glb', {
      pbrMetallicRoughness: dark,
      emissiveTexture: texture,
      emissiveFactor: [1, 0, 0],
    });
    check(glows.red > 0.01 && glows.blue < 0.001, `only red glows: ${JSON.stringify(glows)}`);
    const cut = await show('cut.glb', {
      alphaMode: 'MASK',
      pbrMetallicRoughness: { baseColorTexture: texture, baseColorFactor: [1, 1, 1, 0.3] },
    });
    check(cut.red < 0.001 && cut.blue < 0.001, `nothing is left: ${JSON.stringify(cut)}`);
    const shifted = { index: 0, extensions: { KHR_texture_transform: { offset: [0, 0.25], scale: [1, 0] } } };
    const moved = await show('moved.glb', { pbrMetallicRoughness: { baseColorTexture: shifted } });
    check(moved.blue > 0.01 && moved.red < 0.001, `all is the top of the picture: ${JSON.stringify(moved)}`);
    // A mirror of metal shows the room, not its own colour; what is rough and no metal does.
    const factors = (metallicFactor, roughnessFactor) => ({
      baseColorTexture: texture,
      metallicFactor,
      roughnessFactor,
    });
    const metal = await show('metal.glb', { pbrMetallicRoughness: factors(1, 0.1) });
    const rough = await show('rough.glb', { pbrMetallicRoughness: factors(0, 1) });
    check(metal.bright < rough.bright, `metal ${metal.bright}, rough ${rough.bright}`);
    // Seen through: paler than the whole colour, and not gone as what is cut out.
    const blended = await show('blended.glb', {
      alphaMode: 'BLEND',
      pbrMetallicRoughness: { ...factors(0, 1), baseColorFactor: [1, 1, 1, 0.3] },
    });
    check(blended.bright > rough.bright + 0.02 && blended.blue > 0.005, `blended: ${JSON.stringify(blended)}`);
    const plain = { baseColorFactor: [0.8, 0.8, 0.6, 1], metallicFactor: 0, roughnessFactor: 1 };
    const bare = await show('bare.glb', { pbrMetallicRoughness: plain });
    // The red of the picture, 0.86 below and 0.12 above, is how much light reaches a place.
    const shaded = await show('shaded.glb', { pbrMetallicRoughness: plain, occlusionTexture: texture });
    const tilted = await show('tilted.glb', { pbrMetallicRoughness: plain, normalTexture: texture });
    check(shaded.bright < bare.bright - 0.02, `in the shade ${shaded.bright}, else ${bare.bright}`);
    check(Math.abs(tilted.bright - bare.bright) > 0.02, `by the normal map ${tilted.bright}, else ${bare.bright}`);
  },

  async 'a stroke on 43 thousand vertices answers within 30 ms'({ studio, native }) {
    await studio.choose(native.make('biped', 'large.glb', '--resolution', '43000'));
    await studio.shown('large.glb');
    await studio.page.keyboard.press('1');
    await studio.select('LeftUpLeg');
    await studio.tool('paint');
    await studio.idle();
    await studio.page.click('[data-role="paint"] [data-value="weight"]');
    await studio.idle();
    const times = [];
    for (let k = 0; k < 4; ++k) {
      await stroke(studio, 'LeftUpLeg', 4);
      await studio.page.waitForFunction((n) => window.sinew.strokes === n && window.sinew.settled, k + 1);
      times.push(await studio.get('strokeMilliseconds'));
    }
    await studio.shot('paint-large');
    console.log(`     ${times.map((t) => t.toFixed(1)).join(', ')} ms`);
    check(Math.min(...times) < 30, `${times} ms`);
  },
};
