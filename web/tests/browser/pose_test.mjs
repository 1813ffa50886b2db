// SPDX-License-Identifier: Apache-2.0
// Load, pick, rotate, undo, play, split, heat map, drag, save: on the built-in arm, against the native program.
import { readFileSync, writeFileSync } from 'node:fs';
import { check, checkVertices, largestDistance, readObj, sizeOf } from './harness.mjs';

export const file = (native) => native.make('arm', 'arm.glb');

export const tests = {
  async 'loads the file of the command line and shows its native vertices'({ studio, native, arm }) {
    check((await studio.page.title()).startsWith('arm.glb'), 'the title names the file');
    check(
      JSON.stringify(await studio.get('joints')) === '["UpperArm","ForeArm","Hand","arm"]',
      'its joints and its mesh by name',
    );
    await checkVertices(studio, 0, native.pose(arm), 'as loaded');
    check(
      (await studio.page.textContent('[data-role="stats"]')).includes('8\u202f066 vertices'),
      'vertices are counted',
    );
    await studio.shot('arm-light');
  },

  async 'picks joints in the picture, in the tree and by search'({ studio }) {
    const { x, y } = await studio.screen('ForeArm');
    await studio.page.mouse.click(x, y);
    await studio.page.waitForFunction(() => window.sinew.selected === 1);
    check((await studio.page.textContent('[data-role="joint-name"]')) === 'ForeArm', 'the panel names it');
    await studio.select('UpperArm');
    check((await studio.get('selected')) === 0, 'the tree selects');
    await studio.page.fill('#joint-search', 'hAn');
    await studio.page.press('#joint-search', 'Enter');
    check((await studio.get('selected')) === 2, 'the search selects');
    check((await studio.page.locator('.tree-row').count()) === 1, 'the search hides the others');
    await studio.page.press('#joint-search', 'Escape');
  },

  async 'rotates by numbers as --set does, with several deformers'({ studio, native, arm }) {
    await studio.select('ForeArm');
    const before = await studio.positions();
    await studio.type('Rotation about X in degrees', 20);
    await studio.type('Rotation about Y in degrees', '-15,5');
    await studio.type('Rotation about Z in degrees', '60°');
    await studio.moved(before);
    for (const deformer of ['lbs', 'dqs', 'swing-twist', 'stretch-dqs', 'curve', 'volume']) {
      await studio.deformer(0, deformer);
      await checkVertices(
        studio,
        0,
        native.pose(arm, '--set', 'ForeArm=20,-15.5,60', '--deformer', deformer),
        deformer,
      );
    }
  },

  async 'undoes and redoes to the same numbers'({ studio }) {
    const bent = await studio.pose();
    await studio.page.click('[aria-label^="Undo"]');
    await studio.page.waitForFunction((old) => window.sinew.pose().locals.some((v, i) => v !== old[i]), bent.locals);
    await studio.page.keyboard.press('Control+Shift+Z');
    await studio.page.waitForFunction(
      (old) => window.sinew.pose().locals.every((v, i) => Math.abs(v - old[i]) < 1e-12),
      bent.locals,
    );
  },

  async 'rotates by a ring of the gizmo, about its own joint alone'({ studio }) {
    await studio.reset();
    await studio.page.keyboard.press('1');
    await studio.select('ForeArm');
    const before = await studio.pose();
    const shape = await studio.positions();
    const centre = await studio.screen('ForeArm');
    // Seen from the front, the ring about z is a circle of 74 pixels; from its right end to its lower end is a quarter turn.
    const s = 74 * Math.SQRT1_2;
    await studio.drag({ x: centre.x + s, y: centre.y + s }, { x: centre.x - s, y: centre.y + s });
    await studio.moved(shape);
    const after = await studio.pose();
    check(
      after.locals.slice(0, 12).every((v, i) => v === before.locals[i]),
      'the upper arm stays',
    );
    const [a, b] = [after.locals[12], after.locals[16]];
    check(
      Math.abs(Math.atan2(b, a) * (180 / Math.PI) + 90) < 6,
      `about -90 degrees about z, got ${Math.atan2(b, a) * (180 / Math.PI)}`,
    );
    await studio.shot('rotate');
  },

  async 'stretches: a dragged joint follows the pointer and its bone gets longer'({ studio }) {
    await studio.reset();
    await studio.tool('stretch');
    const from = await studio.screen('Hand');
    const to = { x: from.x + 40, y: from.y - 30 };
    const shape = await studio.positions();
    await studio.drag(from, to);
    await studio.moved(shape);
    await near(studio, 'Hand', to);
    check((await studio.pose()).shapes[3] > 1.05, 'the forearm is longer');
    await studio.shot('stretch');
  },

  async 'reaches: the limb follows without getting longer'({ studio }) {
    await studio.reset();
    await studio.tool('reach');
    const length = async () => {
      const [a, b, c] = [await studio.head('UpperArm'), await studio.head('ForeArm'), await studio.head('Hand')];
      return [a, b, c].flatMap((p, k, all) => (k ? [Math.hypot(...p.map((v, i) => v - all[k - 1][i]))] : []));
    };
    const before = await length();
    const from = await studio.screen('Hand');
    const to = { x: from.x - 70, y: from.y - 60 };
    const shape = await studio.positions();
    await studio.drag(from, to);
    await studio.moved(shape);
    await near(studio, 'Hand', to);
    (await length()).forEach((v, k) => check(Math.abs(v - before[k]) < 1e-6, `bone ${k}: ${before[k]} became ${v}`));
    await studio.shot('reach');
  },

  async 'twists a bone at its end'({ studio, native, arm }) {
    await studio.reset();
    await studio.tool('twist');
    await studio.select('UpperArm');
    await studio.page.click('text=Use stretch-dqs').catch(() => undefined);
    await studio.deformer(0, 'stretch-dqs');
    const shape = await studio.positions();
    await studio.type('Twist at the tail of the bone in degrees', 90);
    await studio.moved(shape);
    await checkVertices(studio, 0, native.pose(arm, '--twist', 'UpperArm=0,90', '--deformer', 'stretch-dqs'), 'twist');
    await studio.shot('twist');
  },

  async 'twists by the rings at the ends of a bone'({ studio, native, arm }) {
    await studio.reset();
    await studio.tool('twist');
    await studio.select('UpperArm');
    await studio.page.click('[aria-label="View from the right"]'); // along the bone, where its rings are circles
    await studio.settled();
    const { x, y } = await studio.screen('ForeArm');
    const s = 52 * Math.SQRT1_2;
    const shape = await studio.positions();
    await studio.drag({ x: x + s, y: y + s }, { x: x - s, y: y + s });
    await studio.moved(shape);
    await studio.settled();
    const [stretch, ...twists] = (await studio.pose()).shapes.slice(0, 3);
    const degrees = twists.map((v) => (v * 180) / Math.PI);
    check(stretch === 1 && Math.abs(Math.hypot(...degrees) - 90) < 8, `a quarter turn at one end, got ${degrees}`);
    await checkVertices(
      studio,
      0,
      native.pose(arm, '--twist', `UpperArm=${degrees.join(',')}`, '--deformer', 'stretch-dqs'),
      'twist by a ring',
    );
    await studio.page.keyboard.press('1');
  },

  async 'plays a clip, and scrubs it to the native pose'({ studio, native, arm }) {
    await studio.tool('rotate');
    await studio.deformer(0, 'dqs');
    const shape = await studio.positions();
    await studio.page.click('[data-role="play"]');
    await studio.moved(shape);
    await studio.page.waitForFunction(() => window.sinew.time > 0.1);
    await studio.page.click('[data-role="play"]');
    check(!(await studio.get('playing')), 'it pauses');
    const still = await studio.positions();
    await studio.page.locator('.scrubber').evaluate((input) => {
      input.value = '0.5';
      input.dispatchEvent(new Event('input'));
      input.dispatchEvent(new Event('change'));
    });
    await studio.moved(still);
    await checkVertices(studio, 0, native.pose(arm, '--clip', 'bend', '--time', '0.5', '--deformer', 'dqs'), 'clip');
  },

  async 'splits: two deformers under one pose'({ studio, native, arm }) {
    await studio.deformer(0, 'lbs');
    await studio.page.click('[aria-label="Two deformers side by side"]');
    await studio.page.waitForSelector('[data-role="caption-1"]:visible');
    await studio.deformer(1, 'dqs');
    const pose = ['--clip', 'bend', '--time', '0.5'];
    await checkVertices(studio, 0, native.pose(arm, ...pose, '--deformer', 'lbs'), 'left');
    await checkVertices(studio, 1, native.pose(arm, ...pose, '--deformer', 'dqs'), 'right');
    check((await studio.page.textContent('[data-role="caption-1"]')) === 'dqs', 'the right caption');
    const box = await studio.page.locator('.divider').boundingBox();
    await studio.drag({ x: box.x + 12, y: box.y + 60 }, { x: box.x - 90, y: box.y + 60 });
    const now = await studio.page.locator('.divider').boundingBox();
    check(Math.abs(now.x - box.x + 102) < 3, 'the divider follows the pointer');
    await studio.shot('split');
    await studio.page.click('[aria-label="One picture"]');
  },

  async 'colours by weights with a legend'({ studio }) {
    await studio.reset();
    const plain = await studio.colourful();
    await studio.select('ForeArm');
    for (const [title, name] of [
      ['Weight', 'Weight of'],
      ['Deformer weight', 'Deformer weight d of'],
      ['Swing', 'Swing s of'],
      ['Twist', 'Twist t of'],
      ['Endpoint', 'Endpoint e of'],
    ]) {
      await studio.page.click(`.segmented [title="${title}"]`);
      await studio.page.waitForSelector(`[data-role="legend"]:has-text("${name} ForeArm")`);
      if (title === 'Weight') check((await studio.colourful()) > plain + 0.015, 'the mesh is coloured');
    }
    await studio.page.click('.segmented [title="Weight"]');
    await studio.page.waitForSelector('[data-role="legend"]:has-text("Weight of ForeArm")');
    await studio.shot('heat');
    await studio.page.click('.segmented [title="Off"]');
  },

  async 'measures the distance to the elastic reference as the native program does'({ studio, native, arm }) {
    await studio.select('ForeArm');
    await studio.type('Rotation about Z in degrees', 70);
    await studio.deformer(0, 'lbs');
    await studio.page.click('[title="Distance to the elastic reference"]');
    await studio.page.click('[data-role="compute-reference"]');
    await studio.page.waitForFunction(() => window.sinew.heat?.figures.length > 0);
    const shown = (await studio.get('heat')).figures[0].max;
    const pose = ['--set', 'ForeArm=0,0,70'];
    const wanted =
      largestDistance(
        native.pose(arm, ...pose, '--deformer', 'lbs'),
        native.pose(arm, ...pose, '--deformer', 'elastic'),
      ) / sizeOf(native.pose(arm));
    check(Math.abs(shown - wanted) < 1e-4, `${shown} in the page, ${wanted} natively`);
    await studio.shot('reference');
    await studio.page.click('.segmented [title="Off"]');
  },

  async 'saves the pose, the rig, the mesh and a picture'({ studio, native }) {
    const shown = await studio.positions();
    const glb = await studio.save('Rig in this pose');
    check(glb.name === 'arm.glb', 'the rig keeps its name');
    writeFileSync(native.path('saved.glb'), readFileSync(glb.path));
    const off = largestDistance(shown, native.pose(native.path('saved.glb'), '--deformer', 'lbs'));
    check(off < 1e-5, `the saved rig is ${off} away`);
    const mesh = await studio.save('Deformed mesh');
    check(largestDistance(shown, readObj(mesh.path)) < 1e-5, 'the saved mesh is what is shown');
    const picture = await studio.save('Picture');
    check(readFileSync(picture.path).subarray(1, 4).toString() === 'PNG', 'a picture');
    const pose = await studio.save('Pose');
    const saved = JSON.parse(readFileSync(pose.path, 'utf8'));
    check(saved.format === 'sinew-pose' && saved.joints.ForeArm.local.length === 12, 'a pose by names');
    await studio.reset();
    await studio.moved(shown);
    writeFileSync(native.path('again.json'), JSON.stringify(saved));
    await studio.choose(native.path('again.json'));
    await studio.page.waitForFunction(
      (old) => window.sinew.positions(0).every((v, i) => Math.abs(v - old[i]) < 1e-6),
      shown,
    );
  },

  async 'opens a file that is dropped on it'({ studio, native }) {
    const bytes = readFileSync(native.make('cylinder', 'dropped.glb')).toString('base64');
    const data = await studio.page.evaluateHandle(
      ([text, name]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
        return transfer;
      },
      [bytes, 'dropped.glb'],
    );
    await studio.page.dispatchEvent('body', 'drop', { dataTransfer: data });
    await studio.shown('dropped.glb');
    await checkVertices(studio, 0, native.pose(native.path('dropped.glb')), 'as dropped');
  },

  async 'brings a file into the picture that is posed far larger than it is bound'({ studio, native }) {
    const bytes = readFileSync(native.make('arm', 'large.glb'));
    writeFileSync(
      native.path('large.glb'),
      withJson(bytes, (json) => {
        json.nodes.find((node) => node.name === 'UpperArm').scale = [100, 100, 100];
      }),
    );
    await studio.choose(native.path('large.glb'));
    await studio.shown('large.glb');
    await studio.settled();
    const box = await studio.page.locator('canvas').first().boundingBox();
    for (const name of ['UpperArm', 'ForeArm', 'Hand']) {
      const { x, y } = await studio.screen(name);
      check(x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height, `${name} is at ${x}, ${y}`);
    }
    const [a, b] = [await studio.screen('UpperArm'), await studio.screen('Hand')];
    check(Math.hypot(a.x - b.x, a.y - b.y) > 100, 'it fills the picture');
  },
};

/** The joint comes to lie under the pointer. */
function near(studio, name, to) {
  return studio.joint(name).then((j) =>
    studio.page.waitForFunction(
      ([joint, p]) => {
        const s = window.sinew.screen(joint);
        return Math.hypot(s.x - p.x, s.y - p.y) < 4;
      },
      [j, to],
    ),
  );
}

/** A .glb with its JSON changed. */
function withJson(glb, edit) {
  const length = glb.readUInt32LE(12);
  const json = JSON.parse(glb.subarray(20, 20 + length).toString());
  edit(json);
  let text = JSON.stringify(json);
  text += ' '.repeat((4 - (Buffer.byteLength(text) % 4)) % 4);
  const head = Buffer.from(glb.subarray(0, 20));
  const chunk = Buffer.from(text);
  head.writeUInt32LE(glb.length - length + chunk.length, 8);
  head.writeUInt32LE(chunk.length, 12);
  return Buffer.concat([head, chunk, glb.subarray(20 + length)]);
}
