// SPDX-License-Identifier: Apache-2.0
// From a bare mesh to a rig, and joints moved and bound again: both by the program behind the page.
import type { App } from '../app';
import { isSkinned } from '../state';
import { button, progress, section, select, setChoices } from '../ui/controls';
import { h, setText, show } from '../ui/dom';

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
    setText(summary, capital(app.state.server?.weights.find((w) => w.name === weights.input.value)?.summary ?? ''));
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
  const stage = h('p', { class: 'small', 'data-role': 'stage' });
  const bar = progress();
  const cancel = button('Cancel', { class: 'button', run: () => void app.jobs.cancel() });
  cancel.dataset.role = 'cancel';
  const running = h('div', { class: 'stack', 'aria-live': 'polite' }, stage, bar.element, cancel);
  const bare = h('p', {}, 'This mesh has no skeleton. The server of this page can find one and bind the mesh to it.');
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
  const panel = section('Rig', form, running);
  panel.classList.add('rig-panel');

  app.store.on(['server'], ({ server }) => {
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
  app.store.on(['opened', 'job', 'tool', 'server', 'serverGone'], (state) => {
    const skinned = isSkinned(state);
    const job = state.job?.kind === 'rig' ? state.job : null;
    const joints = skinned && state.tool === 'joints';
    show(panel, state.opened !== null && (!skinned || joints || job !== null));
    panel.classList.toggle('calls', state.opened !== null && !skinned);
    show(form, job === null);
    show(running, job !== null);
    show(bare, !skinned);
    show(moving, joints);
    show(start, !skinned);
    show(again, joints);
    show(leave, joints);
    show(template.element, !skinned);
    show(names.element, !skinned);
    const off = state.server === null || state.serverGone;
    show(gone, off);
    start.disabled = again.disabled = off;
    if (!job) return;
    setText(stage, job.cancelling ? 'Stopping' : `${capital(job.stage)}, ${Math.round(100 * job.fraction)} %`);
    bar.set(job.fraction || null);
    cancel.disabled = job.cancelling;
  });
  return panel;
}

/** What the program says about the rig that it made, and what is wrong with any rig. */
export function reportPanel(app: App): HTMLElement {
  const list = h('ul', { class: 'report' });
  const check = button('Check this rig', {
    class: 'button wide',
    title: 'Grade every joint over its range of motion',
    run: () => void app.jobs.check(),
  });
  check.dataset.role = 'check';
  const stage = h('p', { class: 'small' });
  const bar = progress();
  const running = h(
    'div',
    { class: 'stack', 'aria-live': 'polite' },
    stage,
    bar.element,
    button('Cancel', { class: 'button', run: () => void app.jobs.cancel() }),
  );
  const panel = section('Report', check, running, list);
  panel.dataset.role = 'report';
  app.store.on(['opened', 'job', 'server', 'serverGone'], (state) => {
    const job = state.job?.kind === 'check' ? state.job : null;
    show(check, isSkinned(state) && job === null);
    check.disabled = state.server === null || state.serverGone || state.job !== null;
    show(running, job !== null);
    if (!job) return;
    setText(stage, job.cancelling ? 'Stopping' : `${capital(job.stage)}, ${Math.round(100 * job.fraction)} %`);
    bar.set(job.fraction || null);
  });
  app.store.on(['report', 'opened'], (state) => {
    const { report } = state;
    show(panel, report.length > 0 || isSkinned(state));
    list.replaceChildren(...report.map((line) => h('li', {}, `${capital(line).replace(/[.]?$/, '.')}`)));
  });
  return panel;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
