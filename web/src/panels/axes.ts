// SPDX-License-Identifier: Apache-2.0
// A small cross of axes in the corner: shows where the camera is, and brings it to a side by a click.
import { Vector3 } from 'three';
import type { ViewName, Viewport } from '../view/viewport';

const ENDS: { axis: [number, number, number]; view: ViewName; name: string; colour: string }[] = [
  { axis: [1, 0, 0], view: 'left', name: 'X', colour: 'x' },
  { axis: [-1, 0, 0], view: 'right', name: '', colour: 'x' },
  { axis: [0, 1, 0], view: 'top', name: 'Y', colour: 'y' },
  { axis: [0, -1, 0], view: 'bottom', name: '', colour: 'y' },
  { axis: [0, 0, 1], view: 'front', name: 'Z', colour: 'z' },
  { axis: [0, 0, -1], view: 'back', name: '', colour: 'z' },
];
const SVG = 'http://www.w3.org/2000/svg';

function make(tag: string, parent: Element, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  parent.append(element);
  return element;
}

export function axesWidget(viewport: Viewport): { element: SVGElement; update(): void } {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '-44 -44 88 88');
  svg.setAttribute('class', 'axes');
  const parts = ENDS.map(({ axis, view, name, colour }) => {
    const group = make('g', svg, {
      class: `axis ${colour}${name ? '' : ' minus'}`,
      tabindex: 0,
      role: 'button',
      'aria-label': `View from the ${view}`,
    });
    make('title', group, {}).textContent = `View from the ${view}`;
    const line = name ? make('line', group, { x1: 0, y1: 0 }) : null;
    const ball = make('circle', group, { r: name ? 9 : 6 });
    const text = name ? make('text', group, { 'text-anchor': 'middle', dy: '0.36em' }) : null;
    if (text) text.textContent = name;
    const go = (): void => viewport.frame(undefined, view);
    group.addEventListener('click', go);
    group.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') go();
    });
    return { axis: new Vector3(...axis), group, line, ball, text };
  });
  return {
    element: svg,
    update() {
      const turn = viewport.camera.matrixWorldInverse;
      const placed = parts.map((part) => ({ ...part, at: part.axis.clone().transformDirection(turn) }));
      placed.sort((a, b) => a.at.z - b.at.z);
      placed.forEach(({ at, group, line, ball, text }) => {
        const [x, y] = [at.x * 32, -at.y * 32];
        for (const [element, names] of [
          [line, ['x2', 'y2']],
          [ball, ['cx', 'cy']],
          [text, ['x', 'y']],
        ] as const) {
          element?.setAttribute(names[0], x.toFixed(1));
          element?.setAttribute(names[1], y.toFixed(1));
        }
        group.setAttribute('opacity', (0.72 + 0.28 * at.z).toFixed(2));
        if (document.activeElement !== group) svg.append(group); // near ones on top
      });
    },
  };
}
