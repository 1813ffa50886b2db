// SPDX-License-Identifier: Apache-2.0
// Which values colour the mesh.
import type { App } from '../app';
import { formatNumber } from '../numbers';
import { type Heat, isSkinned } from '../state';
import { button, section, Segmented } from '../ui/controls';
import { h, setText, show } from '../ui/dom';
import { jobProgress } from './job';

const MEANING: Record<Heat, string> = {
  none: 'Plain clay.',
  weight: 'w: how much each vertex follows the joint.',
  deformer: 'd: the weight of the joint’s deformer at each vertex.',
  swing: 's: the fraction of the joint’s bend that each vertex follows.',
  twist: 't: the fraction of the joint’s twist that each vertex follows.',
  stiffness: 'How stiff the flesh was painted: 0.05 dark blue, 100 yellow.',
  endpoint: 'e: position along the bone, 0 at its head and 1 at its tail.',
  reference: 'Distance to the elastic reference in this pose, solved for every vertex.',
};

export function heatPanel(app: App): HTMLElement {
  const kinds = new Segmented<Heat>(
    'Heat map',
    [
      { value: 'none', label: 'Off' },
      { value: 'weight', label: 'w', title: 'Weight' },
      { value: 'deformer', label: 'd', title: 'Deformer weight' },
      { value: 'swing', label: 's', title: 'Swing' },
      { value: 'twist', label: 't', title: 'Twist' },
      { value: 'endpoint', label: 'e', title: 'Endpoint' },
      { value: 'stiffness', label: 'k', title: 'Stiffness' },
      { value: 'reference', label: 'Elastic', title: 'Distance to the elastic reference' },
    ],
    (kind) => void app.heat.set(kind),
  );
  const meaning = h('p', { class: 'quiet small' });
  const pick = h('p', { class: 'hint' }, 'Select a joint to see its values.');
  const figures = h('div', { class: 'figures', 'data-role': 'figures' });
  const stale = h('p', { class: 'hint' }, 'The pose has changed since the reference was computed.');
  const compute = button('Compute the reference', {
    class: 'button wide',
    run: () => void app.jobs.computeReference(),
  });
  compute.dataset.role = 'compute-reference';
  const reference = h('div', { class: 'stack' }, stale, compute, jobProgress(app, 'reference'), figures);
  const panel = section('Heat map', kinds.element, meaning, pick, reference);

  app.store.on(['heat', 'heatView', 'selected', 'opened', 'job', 'serverGone', 'slots', 'layout'], (state) => {
    show(panel, isSkinned(state));
    kinds.set(state.heat);
    setText(meaning, MEANING[state.heat]);
    const channel = state.heat !== 'none' && state.heat !== 'reference' && state.heat !== 'stiffness';
    show(pick, channel && state.selected < 0);
    show(reference, state.heat === 'reference');
    const job = state.job?.kind === 'reference' ? state.job : null;
    show(compute, job === null && (state.heatView === null || state.heatView.stale));
    compute.disabled = state.serverGone || state.job !== null;
    show(stale, job === null && state.heatView?.stale === true);
    const view = state.heatView;
    const rows =
      view?.kind === 'reference'
        ? view.figures.map((figure, k) =>
            h(
              'div',
              { class: 'figure' },
              h('b', {}, state.slots[k].deformer),
              h('span', {}, `largest ${percent(figure.max)}`),
              h('span', {}, `rms ${percent(figure.rms)}`),
            ),
          )
        : [];
    figures.replaceChildren(...rows);
  });
  return panel;
}

export function percent(value: number): string {
  return `${formatNumber(100 * value, value < 0.01 ? 3 : 2)} %`;
}
