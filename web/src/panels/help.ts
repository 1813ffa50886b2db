// SPDX-License-Identifier: Apache-2.0
import { h } from '../ui/dom';
import { icon } from '../ui/icons';
import { TOOLS } from './toolbar';

const GROUPS: [string, [string, string][]][] = [
  [
    'Look',
    [
      ['Drag', 'rotate the view'],
      ['Right drag, two fingers', 'pan the view'],
      ['Wheel, pinch', 'zoom'],
      ['F', 'frame the selection, or all'],
      ['1 2 3 7', 'front, left, right, top'],
      ['0', 'three-quarter view'],
      ['M K W G', 'materials, skeleton, edges, floor'],
      ['L', 'light or dark theme'],
    ],
  ],
  ['Tools', TOOLS.map(({ key, name }) => [key.toUpperCase(), name] as [string, string])],
  [
    'Pose',
    [
      ['Click', 'select a joint or a bone'],
      ['/', 'search joints'],
      ['Space', 'play or pause the clip'],
      ['← →', 'previous frame, next frame'],
      ['Ctrl+Z', 'undo'],
      ['Ctrl+Shift+Z, Ctrl+Y', 'redo'],
      ['X', 'local or world axes'],
      ['[ ]', 'smaller, larger brush'],
      ['Esc', 'cancel, deselect'],
    ],
  ],
  [
    'File',
    [
      ['O', 'open'],
      ['Ctrl+S', 'save the rig in this pose'],
      ['Ctrl+Shift+S', 'save an image'],
      ['V', 'single view, side by side, divider'],
      ['?', 'this list'],
    ],
  ],
];

export function helpSheet(): HTMLDialogElement {
  const close = h(
    'button',
    { type: 'button', class: 'tool', 'aria-label': 'Close', title: 'Close', on: { click: () => dialog.close() } },
    icon('close'),
  );
  const dialog = h(
    'dialog',
    { class: 'help', 'aria-label': 'Shortcuts' },
    h('header', {}, h('h2', {}, 'Shortcuts'), close),
    h(
      'div',
      { class: 'help-columns' },
      ...GROUPS.map(([title, rows]) =>
        h(
          'section',
          {},
          h('h3', {}, title),
          h('dl', {}, ...rows.flatMap(([keys, text]) => [h('dt', {}, ...keyCaps(keys)), h('dd', {}, text)])),
        ),
      ),
    ),
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}

function keyCaps(text: string): (HTMLElement | string)[] {
  return text
    .split(', ')
    .flatMap((part, k) => [
      k ? ' or ' : '',
      ...(/^[A-Z0-9?/←→[\] ]+$/.test(part) ? part.split(' ') : [part]).map((cap) => h('kbd', {}, cap)),
    ]);
}
