// SPDX-License-Identifier: Apache-2.0
// From a bare mesh to a rig, and joints moved and bound again: both are long work.
import type { App } from '../app';
import { isSkinned } from '../state';
import { button, section, select, setChoices } from '../ui/controls';
import { h, setText, show } from '../ui/dom';
import { capital, jobProgress } from './job';

const NAMES: Record<string, string> = {
  mixamo: 'LeftArm (Mixamo)',
  mixamorig: 'mixamorig:LeftArm',
  unreal: 'upperarm_l (Unreal)',
  unity: 'LeftUpperArm (Unity)',
  godot: 'LeftUpperArm (Godot)',
  vrm: 'leftUpperArm (VRM)',
  rigify: 'upper_arm.L (Rigify)',
};

export function rigPanel(app: App): HTMLElement {
  const template = select('Template', [], () => undefined);
  const weights = select('Weights', [], () => undefined);
  const names = select('Joint names', [], () => undefined);
  const quality = select(
    'Quality',
    [
      { value: 'fast', label: 'fast: weights only' },
      { value: 'flesh', label: 'flesh: close to the elastic reference, half a minute' },
    ],
    () => undefined,
  );
  const summary = h('p', { class: 'quiet small' });
  const describe = (): void =>
    setText(summary, capital(app.state.choices?.weights.find((w) => w.name === weights.input.value)?.summary ?? ''));
  weights.input.addEventListener('change', describe);
  const start = button('Find skeleton and weights', {
    class: 'button primary wide',
    run: () =>
      void app.jobs.rig({
        template: template.input.value,
        weights: weights.input.value,
        names: names.input.value,
        quality: quality.input.value,
      }),
  });
  start.dataset.role = 'rig';
  const again = button('Bind again', {
    class: 'button primary wide',
    run: () => void app.joints.bindAgain(weights.input.value, quality.input.value),
  });
  again.dataset.role = 'bind-again';
  const leave = button('Leave the joints as they were', { class: 'button wide', run: () => app.setTool('rotate') });
  const bare = h('p', {}, 'This mesh has no skeleton. One can be found, and the mesh bound to it.');
  const moving = h('p', {}, 'Drag the joints to where they belong, then bind the mesh to them again.');
  const gone = h(
    'p',
    { class: 'hint' },
    'The program behind this page does not answer: start sinew studio again to make rigs.',
  );
  const form = h(
    'div',
    { class: 'stack' },
    bare,
    moving,
    template.element,
    weights.element,
    summary,
    quality.element,
    names.element,
    gone,
    start,
    again,
    leave,
  );
  const panel = section('Rig', form, jobProgress(app, 'rig'));
  panel.classList.add('rig-panel');

  app.store.on(['choices'], ({ choices: server }) => {
    if (!server) return;
    setChoices(template.input, [
      { value: '', label: 'chosen from the mesh' },
      ...server.templates.map((t) => ({ value: t, label: t })),
    ]);
    setChoices(
      weights.input,
      server.weights.map((w) => ({ value: w.name, label: w.name, title: w.summary })),
    );
    if (server.weights.some((w) => w.name === 'bbw')) weights.input.value = 'bbw';
    setChoices(
      names.input,
      server.names.map((n) => ({ value: n, label: NAMES[n] ?? n })),
    );
    describe();
  });
  app.store.on(['opened', 'job', 'tool', 'choices', 'serverGone'], (state) => {
    const skinned = isSkinned(state);
    const job = state.job?.kind === 'rig' ? state.job : null;
    const joints = skinned && state.tool === 'joints';
    show(panel, state.opened !== null && (!skinned || joints || job !== null));
    panel.classList.toggle('calls', state.opened !== null && !skinned);
    show(form, job === null);
    show(bare, !skinned);
    show(moving, joints);
    show(start, !skinned);
    show(again, joints);
    show(leave, joints);
    show(template.element, !skinned);
    show(names.element, !skinned);
    const off = state.choices === null || state.serverGone;
    show(gone, off);
    start.disabled = again.disabled = off;
  });
  return panel;
}

/** What the program says about the rig that it made, and warnings about the file. */
export function reportPanel(app: App): HTMLElement {
  const list = h('ul', { class: 'report' });
  const panel = section('Report', list);
  panel.dataset.role = 'report';
  app.store.on(['report'], ({ report }) => {
    show(panel, report.length > 0);
    list.replaceChildren(...report.map((line) => h('li', {}, `${capital(line).replace(/[.]?$/, '.')}`)));
  });
  return panel;
}
