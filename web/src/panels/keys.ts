// SPDX-License-Identifier: Apache-2.0
import type { App } from '../app';
import { section, Slider } from '../ui/controls';
import { h, show } from '../ui/dom';
import { stepper } from './inspector';

/** Shape keys as sliders. */
export function keysPanel(app: App): HTMLElement {
  const list = h('div', { class: 'stack' });
  const panel = section('Shape keys', list);
  let sliders: Slider[] = [];
  app.store.on(['opened'], (state) => {
    const keys = state.opened?.info.keys ?? [];
    show(panel, keys.length > 0);
    sliders = keys.map((key, k) => {
      const step = stepper(app);
      return new Slider({
        label: key.name,
        least: Math.min(0, key.weight),
        most: Math.max(1, key.weight),
        step: 0.01,
        change: (weight, final) => step.change([{ op: 'key', key: k, weight }], final),
      });
    });
    list.replaceChildren(...sliders.map((s) => s.element));
  });
  app.store.on(['frame'], (state) => sliders.forEach((slider, k) => slider.set(state.frame?.pose.keys[k] ?? 0)));
  return panel;
}
