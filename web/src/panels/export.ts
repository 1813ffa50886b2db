// SPDX-License-Identifier: Apache-2.0
// The rig for another program, and motions of other characters for this one.
import type { App } from '../app';
import { isSkinned } from '../state';
import { button, checkbox, NumberField, section, select, setChoices } from '../ui/controls';
import { h, show } from '../ui/dom';
import { jobProgress } from './job';

const TARGETS: Record<string, string> = {
  plain: 'any program',
  web: 'the web (three.js, Babylon.js)',
  godot: 'Godot',
  unity: 'Unity',
  unreal: 'Unreal',
  blender: 'Blender',
};

export function exportPanel(app: App): HTMLElement {
  const target = select('For', [], () => undefined);
  target.input.dataset.role = 'export-target';
  const influences = select(
    'Joints per vertex',
    ['4', '8'].map((value) => ({ value, label: value })),
    () => undefined,
  );
  const counts = { helpers: 24, morphs: 16 };
  const helpers = new NumberField({
    label: 'Helper joints',
    step: 1,
    digits: 0,
    least: 0,
    most: 256,
    change: (value) => (counts.helpers = Math.round(value)),
  });
  const morphs = new NumberField({
    label: 'Morph targets',
    step: 1,
    digits: 0,
    least: 0,
    most: 256,
    change: (value) => (counts.morphs = Math.round(value)),
  });
  helpers.set(counts.helpers);
  morphs.set(counts.morphs);
  const keep = checkbox('Keep the data of sinew’s deformers', () => undefined);
  const run = (): void =>
    void app.jobs.export({
      target: target.input.value,
      influences: Number(influences.input.value),
      helpers: counts.helpers,
      morphs: counts.morphs,
      keep: keep.input.checked,
    });
  const start = button('Export', { class: 'button primary wide', title: 'Export as plain skinning', run });
  start.dataset.role = 'export';
  const about = h(
    'p',
    { class: 'quiet small' },
    'Plain skinning with helper joints and morph targets that any program plays, fitted to the deformer of the file.',
  );
  const fields = [target.element, influences.element, helpers.element, morphs.element, keep.element];
  const panel = section('Export', about, ...fields, start, jobProgress(app, 'export'));
  panel.open = false;
  panel.dataset.role = 'export-panel';
  app.store.on(['choices'], ({ choices }) => {
    const names = choices?.targets ?? [];
    setChoices(
      target.input,
      names.map((value) => ({ value, label: TARGETS[value] ?? value })),
    );
    if (names.includes('web')) target.input.value = 'web';
  });
  app.store.on(['opened', 'job', 'choices', 'serverGone'], (state) => {
    show(panel, isSkinned(state));
    start.disabled = state.job !== null || state.choices === null || state.serverGone;
  });
  return panel;
}

export function retargetPanel(app: App): HTMLElement {
  const picker = h('input', {
    type: 'file',
    class: 'hidden-label',
    accept: '.bvh,.glb,.gltf',
    tabindex: '-1',
    'aria-hidden': 'true',
    id: 'motion-input',
  });
  const feet = checkbox('Hold feet on the ground', () => undefined);
  feet.input.checked = true;
  picker.addEventListener('change', () => {
    const file = picker.files?.[0];
    if (file) void app.jobs.retarget(file, feet.input.checked);
    picker.value = '';
  });
  const start = button('Choose a motion', { class: 'button wide', run: () => picker.click() });
  const about = h(
    'p',
    { class: 'quiet small' },
    'A motion of another character, .bvh or .glb with clips, becomes a clip of this one.',
  );
  const panel = section('Retarget', about, feet.element, start, picker, jobProgress(app, 'retarget'));
  panel.open = false;
  panel.dataset.role = 'retarget-panel';
  app.store.on(['opened', 'job', 'choices', 'serverGone'], (state) => {
    show(panel, isSkinned(state));
    start.disabled = state.job !== null || state.choices === null || state.serverGone;
  });
  return panel;
}
