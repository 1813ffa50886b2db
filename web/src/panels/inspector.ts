// SPDX-License-Identifier: Apache-2.0
// The selected joint by numbers: angles as `--set`, stretch and twist of its bone.
import type { App } from '../app';
import type { Gesture } from '../pose';
import type { Op, Vec3 } from '../protocol';
import { button, NumberField, section, select, Segmented } from '../ui/controls';
import { h, setText, show } from '../ui/dom';

const DEGREES = 180 / Math.PI;

/** Live changes of one control are one step of undo. */
export function stepper(app: App): { change(ops: Op[], final: boolean): void; readonly open: boolean } {
  let gesture: Gesture | null = null;
  let open = 0;
  return {
    change(ops, final) {
      if (!gesture) {
        gesture = app.pose.gesture();
        ++open;
      }
      gesture.live(ops);
      if (!final) return;
      void gesture.end().finally(() => --open);
      gesture = null;
    },
    /** Some change is not yet in the frame that is shown. */
    get open() {
      return open > 0;
    },
  };
}

export function inspectorPanel(app: App): HTMLElement {
  const title = h('h3', { class: 'joint-name', 'data-role': 'joint-name' });
  const parent = h('p', { class: 'quiet small' });
  const step = stepper(app);
  const angles: Vec3 = [0, 0, 0];
  const turn = (['X', 'Y', 'Z'] as const).map(
    (axis, k) =>
      new NumberField({
        label: axis,
        step: 1,
        unit: '°',
        change: (value, final) => {
          angles[k] = value;
          step.change([{ op: 'angles', joint: app.state.selected, degrees: [...angles] }], final);
        },
      }),
  );
  turn.forEach((field, k) => {
    field.element.classList.add(`axis-${'xyz'[k]}`);
    field.input.setAttribute('aria-label', `Rotation about ${'XYZ'[k]} in degrees`);
  });
  const shape = { stretch: 1, head: 0, tail: 0 };
  const shapeField = (
    key: keyof typeof shape,
    label: string,
    name: string,
    unit: string,
    scale: number,
    most: number,
    size: number,
  ) => {
    const field = new NumberField({
      label,
      step: size,
      digits: key === 'stretch' ? 2 : 1,
      unit,
      least: key === 'stretch' ? 0.05 : -most,
      most,
      change: (value, final) => {
        shape[key] = value / scale;
        step.change([{ op: 'shape', joint: app.state.selected, ...shape }], final);
      },
    });
    field.input.setAttribute('aria-label', name);
    return field;
  };
  const stretch = shapeField('stretch', 'Length', 'Length of the bone relative to its rest length', '×', 1, 20, 0.01);
  const head = shapeField('head', 'Twist, head', 'Twist at the head of the bone in degrees', '°', DEGREES, 720, 1);
  const tail = shapeField('tail', 'Twist, tail', 'Twist at the tail of the bone in degrees', '°', DEGREES, 720, 1);
  const twistHint = h(
    'p',
    { class: 'hint' },
    'Twist at bone ends shows with the deformers stretch-lbs and stretch-dqs. ',
    h(
      'button',
      { type: 'button', class: 'link', on: { click: () => void app.deformers.set(0, { deformer: 'stretch-dqs' }) } },
      'Use stretch-dqs',
    ),
  );
  const chain = select(
    'Chain',
    [
      { value: '0', label: 'the whole limb' },
      ...[1, 2, 3, 4, 5, 6].map((n) => ({ value: String(n), label: `${n} joint${n > 1 ? 's' : ''}` })),
    ],
    (value) => app.store.set({ chain: Number(value) }),
  );
  const axes = new Segmented(
    'Axes of the rings',
    [
      { value: 'local', label: 'Joint', title: 'Rings along the joint axes' },
      { value: 'world', label: 'World', title: 'Rings along the world axes' },
    ],
    (value) => app.store.set({ localAxes: value === 'local' }),
  );
  const back = button('Reset joint', {
    class: 'button small',
    title: 'Turn this joint back to rest',
    run: () =>
      void app.pose.edit([
        { op: 'angles', joint: app.state.selected, degrees: [0, 0, 0] },
        { op: 'shape', joint: app.state.selected, stretch: 1, head: 0, tail: 0 },
      ]),
  });
  const axesRow = h('div', { class: 'field' }, h('span', { class: 'label' }, 'Axes'), axes.element);
  const body = h(
    'div',
    { class: 'stack' },
    h('div', { class: 'joint-head' }, h('div', {}, title, parent), back),
    h('div', { class: 'group-label' }, 'Rotation'),
    h('div', { class: 'triple' }, ...turn.map((f) => f.element)),
    h('div', { class: 'triple bone' }, stretch.element, head.element, tail.element),
    twistHint,
    axesRow,
    chain.element,
  );
  const empty = h('p', { class: 'quiet' }, 'Click a joint in the picture, or in the tree.');
  const panel = section('Joint', empty, body);

  app.store.on(['selected', 'frame', 'opened', 'slots', 'tool', 'localAxes', 'chain'], (state) => {
    const joints = state.opened?.info.joints ?? [];
    const joint = joints[state.selected];
    show(panel, joints.length > 0 && state.tool !== 'joints');
    show(body, joint !== undefined);
    show(empty, joint === undefined);
    axes.set(state.localAxes ? 'local' : 'world');
    show(axesRow, state.tool === 'rotate');
    show(chain.element, state.tool === 'reach');
    chain.input.value = String(state.chain);
    if (!joint || !state.frame) return;
    const typing = step.open;
    setText(title, joint.name);
    const up = joint.parent < 0 ? 'root of the skeleton' : `child of ${joints[joint.parent].name}`;
    setText(parent, joint.deforms ? up : `${up}; moves no skin`);
    state.frame.angles.forEach((value, k) => {
      if (!typing) angles[k] = value;
      turn[k].set(value);
    });
    const [s, a, b] = state.frame.pose.shapes.subarray(3 * state.selected, 3 * state.selected + 3);
    if (!typing) Object.assign(shape, { stretch: s, head: a, tail: b });
    stretch.set(s);
    head.set(a * DEGREES);
    tail.set(b * DEGREES);
    const twisted = state.tool === 'twist' || a !== 0 || b !== 0;
    show(twistHint, twisted && !state.slots[0].deformer.startsWith('stretch'));
  });
  return panel;
}
