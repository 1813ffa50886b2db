// SPDX-License-Identifier: Apache-2.0
import type { App } from '../app';
import { isSkinned } from '../state';
import { button, section } from '../ui/controls';
import { h, show } from '../ui/dom';
import { capital, jobProgress } from './job';

/** Grades of the rig and its joints, and what is wrong, the worst first. */
export function checkPanel(app: App): HTMLElement {
  const about = h('p', { class: 'quiet small' }, 'Grades every joint over its range of motion, as `sinew check` does.');
  const start = button('Check this rig', { class: 'button wide', run: () => void app.jobs.check() });
  start.dataset.role = 'check';
  const list = h('ul', { class: 'report' });
  const panel = section('Check', about, start, jobProgress(app, 'check'), list);
  panel.open = false;
  panel.dataset.role = 'check-panel';
  app.store.on(['opened', 'job', 'choices', 'serverGone'], (state) => {
    show(panel, isSkinned(state));
    show(start, state.job?.kind !== 'check');
    start.disabled = state.job !== null || state.choices === null || state.serverGone;
  });
  app.store.on(['checked'], ({ checked }) => {
    show(list, checked.length > 0);
    list.replaceChildren(...checked.map((line) => h('li', {}, `${capital(line).replace(/[.]?$/, '.')}`)));
  });
  return panel;
}
