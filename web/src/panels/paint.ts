// SPDX-License-Identifier: Apache-2.0
// The brush: what it paints and how.
import type { App } from '../app';
import type { PaintSettings } from '../state';
import { button, checkbox, section, Segmented, select, Slider } from '../ui/controls';
import { h, setText, show } from '../ui/dom';
import { jobProgress } from './job';

export function paintPanel(app: App): HTMLElement {
  const { paint } = app;
  const kind = new Segmented<PaintSettings['kind']>(
    'What is painted',
    [
      { value: 'weight', label: 'Weight', title: 'Weight of the selected joint' },
      { value: 'stiffness', label: 'Stiffness', title: 'Stiffness of the flesh' },
    ],
    (value) => paint.set({ kind: value }),
  );
  const mode = new Segmented<PaintSettings['mode']>(
    'Brush',
    [
      { value: 'add', label: 'Add' },
      { value: 'replace', label: 'Replace' },
      { value: 'smooth', label: 'Smooth' },
    ],
    (value) => paint.set({ mode: value }),
  );
  const flood = button('Flood', {
    class: 'button small',
    title: 'Do to the whole mesh what the brush does',
    run: () => void paint.flood(),
  });
  flood.dataset.role = 'flood';
  const size = new Slider({
    label: 'Size',
    least: 4,
    most: 200,
    step: 1,
    digits: 0,
    change: (v) => paint.set({ size: v }),
  });
  const strength = new Slider({
    label: 'Strength',
    least: 0,
    most: 1,
    step: 0.01,
    change: (v) => paint.set({ strength: v }),
  });
  const weight = new Slider({
    label: 'Value',
    least: 0,
    most: 1,
    step: 0.01,
    change: (v) => paint.set({ value: { ...app.state.paint.value, weight: v } }),
  });
  const stiffness = new Slider({
    label: 'Stiffness',
    least: 0.05,
    most: 100,
    step: 0.05,
    change: (v) => paint.set({ value: { ...app.state.paint.value, stiffness: v } }),
  });
  const falloff = select(
    'Fall-off',
    ['smooth', 'linear', 'sphere', 'constant'].map((value) => ({ value, label: value })),
    (value) => paint.set({ falloff: value as PaintSettings['falloff'] }),
  );
  const mirror = checkbox('Mirror across x', (on) => paint.set({ mirror: on }));
  const pressure = checkbox('Pen pressure', (on) => paint.set({ pressure: on }));
  const lock = checkbox('Lock this joint', () => paint.toggleLock(app.state.selected));
  lock.element.dataset.role = 'lock';
  const problem = h('p', { class: 'hint' });
  const keys = h(
    'p',
    { class: 'quiet small' },
    'Shift smooths, Ctrl takes away. Clicking beside the mesh turns the view.',
  );
  const solve = button('Make flesh with this stiffness', {
    class: 'button primary wide',
    run: () => void app.jobs.solve(),
  });
  solve.dataset.role = 'solve';
  const job = jobProgress(app, 'solve');
  const flesh = h('div', { class: 'stack' }, solve, job);
  const panel = section(
    'Paint',
    kind.element,
    h('div', { class: 'row' }, mode.element, flood),
    size.element,
    strength.element,
    weight.element,
    stiffness.element,
    falloff.element,
    mirror.element,
    pressure.element,
    lock.element,
    problem,
    keys,
    flesh,
  );
  panel.dataset.role = 'paint';
  app.store.on(['paint', 'selected', 'tool', 'opened', 'job', 'strokes'], (state) => {
    show(panel, state.opened !== null && state.tool === 'paint');
    const { paint: brush } = state;
    kind.set(brush.kind);
    mode.set(brush.mode);
    size.set(brush.size);
    strength.set(brush.strength);
    weight.set(brush.value.weight);
    stiffness.set(brush.value.stiffness);
    show(weight.element, brush.kind === 'weight' && brush.mode !== 'smooth');
    show(stiffness.element, brush.kind === 'stiffness' && brush.mode !== 'smooth');
    falloff.input.value = brush.falloff;
    mirror.input.checked = brush.mirror;
    pressure.input.checked = brush.pressure;
    show(lock.element, brush.kind === 'weight' && state.selected >= 0);
    lock.input.checked = brush.locked.includes(state.selected);
    setText(problem, paint.problem ?? '');
    show(problem, paint.problem !== null);
    show(flesh, brush.kind === 'stiffness');
    solve.disabled = state.job !== null;
  });
  return panel;
}
