// SPDX-License-Identifier: Apache-2.0
// What can be dragged besides joints: cages, point handles, pins.
import type { App } from '../app';
import { button, section } from '../ui/controls';
import { h, setText, show } from '../ui/dom';

export function pointsPanel(app: App): HTMLElement {
  const text = h('p', { class: 'quiet small' });
  const back = button('Back to rest', { class: 'button small', run: () => reset(app) });
  const panel = section('Points', text, back);
  app.store.on(['tool', 'opened', 'pins', 'dot'], (state) => {
    const { tool, opened, pins } = state;
    show(panel, opened !== null && (tool === 'cage' || tool === 'handle' || tool === 'pin'));
    if (!opened) return;
    if (tool === 'cage')
      setText(
        text,
        `Drag the control points. ${opened.info.cages.map((c) => `${c.name}: ${c.controls} points`).join('; ')}.`,
      );
    if (tool === 'handle')
      setText(
        text,
        `Drag a handle; the mesh between handles stays as rigid as possible. ${opened.info.handles.length} handles.`,
      );
    if (tool === 'pin') {
      setText(
        text,
        pins.length < 2
          ? 'Click the mesh to pin a vertex. Pin vertices that must stay, then drag one pin: the mesh follows as rigidly as possible.'
          : `${pins.length} vertices are pinned. Drag one; Backspace takes the last one away.`,
      );
    }
    setText(back.querySelector('span') ?? back, tool === 'pin' ? 'Remove all pins' : 'Back to rest');
    back.disabled = tool === 'pin' && pins.length === 0;
  });
  return panel;
}

function reset(app: App): void {
  const { tool, opened } = app.state;
  if (tool === 'pin') void app.pins.drop();
  if (tool === 'cage')
    void app.pose.edit((opened?.info.cages ?? []).map((_, cage) => ({ op: 'cage', cage, points: new Float64Array() })));
  if (tool === 'handle')
    void app.pose.edit((opened?.info.handles ?? []).map((_, handle) => ({ op: 'release', handle })));
}
