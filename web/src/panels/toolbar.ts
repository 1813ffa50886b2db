// SPDX-License-Identifier: Apache-2.0
import type { App } from '../app';
import { isSkinned, type State, type Tool } from '../state';
import { h, show } from '../ui/dom';
import { icon } from '../ui/icons';

export const TOOLS: { tool: Tool; name: string; key: string; hint: string }[] = [
  { tool: 'rotate', name: 'Rotate', key: 'r', hint: 'Click a joint, then drag a ring. Shift snaps to 5°.' },
  { tool: 'stretch', name: 'Stretch', key: 's', hint: 'Drag a joint: the bone that ends at it rotates and stretches.' },
  { tool: 'reach', name: 'Reach (inverse kinematics)', key: 'i', hint: 'Drag a hand or a foot: the limb follows.' },
  { tool: 'twist', name: 'Twist', key: 't', hint: 'Drag the ring at either end of the selected bone.' },
  { tool: 'cage', name: 'Cage', key: 'c', hint: 'Drag the control points of the cage.' },
  { tool: 'handle', name: 'Point handles', key: 'h', hint: 'Drag a handle.' },
  {
    tool: 'pin',
    name: 'Pins (as rigid as possible)',
    key: 'p',
    hint: 'Click the mesh to pin vertices, then drag one.',
  },
  {
    tool: 'joints',
    name: 'Move joints and bind again',
    key: 'j',
    hint: 'Drag joints in the rest pose, then bind again.',
  },
  {
    tool: 'paint',
    name: 'Paint weights and stiffness',
    key: 'b',
    hint: 'Select a joint and drag over the mesh. Shift smooths, Ctrl takes away.',
  },
];

export function canUse(tool: Tool, state: Readonly<State>): boolean {
  const info = state.opened?.info;
  if (!info) return false;
  if (tool === 'pin') return info.vertices > 0;
  if (tool === 'cage') return info.cages.length > 0;
  if (tool === 'handle') return info.handles.length > 0;
  return isSkinned(state);
}

export function toolbar(app: App): HTMLElement {
  const buttons = TOOLS.map(({ tool, name, key, hint }) => {
    const title = `${name} (${key.toUpperCase()})`;
    return {
      tool,
      element: h(
        'button',
        {
          type: 'button',
          class: 'tool',
          'data-tool': tool,
          title: `${title}\n${hint}`,
          'aria-label': title,
          on: { click: () => app.setTool(tool) },
        },
        icon(tool),
      ),
    };
  });
  const bar = h(
    'div',
    { class: 'toolbar', role: 'toolbar', 'aria-label': 'Tools', 'aria-orientation': 'vertical' },
    ...buttons.map((b) => b.element),
  );
  const hint = h('p', { class: 'tool-hint' });
  app.store.on(['tool', 'opened', 'layout'], (state) => {
    show(bar, state.opened !== null);
    for (const { tool, element } of buttons) {
      element.setAttribute('aria-pressed', String(tool === state.tool));
      show(element, canUse(tool, state));
    }
    const chosen = TOOLS.find((t) => t.tool === state.tool);
    hint.textContent = chosen && canUse(chosen.tool, state) ? chosen.hint : '';
    show(hint, hint.textContent !== '' && state.layout === 'single');
  });
  return h('div', { class: 'toolbar-box' }, bar, hint);
}
