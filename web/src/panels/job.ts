// SPDX-License-Identifier: Apache-2.0
// How far a long job is, in the panel that began it.
import type { App } from '../app';
import type { Job } from '../state';
import { button, progress } from '../ui/controls';
import { h, setText, show } from '../ui/dom';

export function jobProgress(app: App, kind: Job['kind']): HTMLElement {
  const stage = h('p', { class: 'small', 'data-role': 'stage' });
  const bar = progress();
  const cancel = button('Cancel', { class: 'button small', run: () => void app.jobs.cancel() });
  cancel.dataset.role = 'cancel';
  const element = h('div', { class: 'stack', 'aria-live': 'polite' }, stage, bar.element, cancel);
  app.store.on(['job'], ({ job }) => {
    const mine = job?.kind === kind ? job : null;
    show(element, mine !== null);
    if (!mine) return;
    setText(stage, mine.cancelling ? 'Stopping' : `${capital(mine.stage)}, ${Math.round(100 * mine.fraction)} %`);
    bar.set(mine.fraction || null);
    cancel.disabled = mine.cancelling;
  });
  return element;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
