// SPDX-License-Identifier: Apache-2.0
// Line icons on a grid of 20.

const PATHS = {
  open: 'M3 15V5h5l2 2h7v8z M3 9h14',
  save: 'M10 3v9 M6.5 8.5 10 12l3.5-3.5 M4 16h12',
  undo: 'M7 4 3.5 7.5 7 11 M4 7.5h7.5a4.5 4.5 0 0 1 0 9H8',
  redo: 'M13 4l3.5 3.5L13 11 M16 7.5H8.5a4.5 4.5 0 0 0 0 9H12',
  reset: 'M4.5 10a5.5 5.5 0 1 0 2-4.2 M4 3v4h4',
  rotate: 'M10 3a7 7 0 1 0 7 7 M10 3l3.2-1.6 M10 3l2.6 2.6 M10 10m-1.6 0a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0-3.2 0',
  stretch: 'M3.5 16.5 16.5 3.5 M11.5 3.5h5v5 M8.5 16.5h-5v-5',
  reach:
    'M3.5 15.5 8 8.5l5.5 3 M3.5 15.5m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0 M8 8.5m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0 M16 5m-2.5 0h5 M16 2.5v5',
  twist: 'M5 4c0 4 10 8 10 12 M15 4c0 4-10 8-10 12 M5 4h10 M5 16h10',
  cage: 'M3 7l7-4 7 4v7l-7 4-7-4z M3 7l7 4 7-4 M10 11v7',
  handle: 'M10 10m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0 M10 2v4 M10 14v4 M2 10h4 M14 10h4',
  pin: 'M7 3h6l-.8 6 2.8 3H5l2.8-3z M10 12v6',
  joints:
    'M5 15m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0 M15 5m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0 M6.5 13.5l7-7 M10 16h7 M14.5 13.5 17 16l-2.5 2.5',
  paint: 'M16.5 3.5 9 11 M16.5 3.5l-6 9-3-3z M7.5 10.5c-3 0-3.5 2-3.5 4.5 2.5 0 5.5 0 5.5-2.5',
  textures: 'M3 3h14v14H3z M3 3h7v7H3z M10 10h7v7h-7z',
  skeleton:
    'M6.5 13.5l7-7 M4.2 15.8a2 2 0 1 1 .5-3.2 2 2 0 1 1 2.7 2.7 2 2 0 1 1-3.2.5 M15.8 4.2a2 2 0 1 1-.5 3.2 2 2 0 1 1-2.7-2.7 2 2 0 1 1 3.2-.5',
  wire: 'M3 3h14v14H3z M3 10h14 M10 3v14 M3 3l7 7 M10 10l7 7',
  ground: 'M2 15l4-8h8l4 8z M4 11h12 M10 7v8',
  single: 'M3 4h14v12H3z',
  side: 'M3 4h14v12H3z M10 4v12',
  wipe: 'M3 4h14v12H3z M10 2v16 M6.5 10h-2 M15.5 10h-2',
  frame: 'M3 7V3h4 M13 3h4v4 M17 13v4h-4 M7 17H3v-4 M10 10m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0',
  light:
    'M10 10m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0 M10 1.5v2 M10 16.5v2 M1.5 10h2 M16.5 10h2 M4 4l1.4 1.4 M14.6 14.6 16 16 M4 16l1.4-1.4 M14.6 5.4 16 4',
  dark: 'M16 12.5A7 7 0 0 1 7.5 4 7 7 0 1 0 16 12.5z',
  help: 'M7.2 7.3A2.9 2.9 0 1 1 10.7 10c-.5.3-.7.7-.7 1.5 M10 14.6v.2',
  play: 'M6 4l10 6-10 6z',
  pause: 'M6.5 4v12 M13.5 4v12',
  loop: 'M4 9a4 4 0 0 1 4-4h7 M12.5 2.5 15 5l-2.5 2.5 M16 11a4 4 0 0 1-4 4H5 M7.5 12.5 5 15l2.5 2.5',
  close: 'M5 5l10 10 M15 5 5 15',
  search: 'M8.5 8.5m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0 M12.5 12.5 17 17',
  chevron: 'M7.5 5l5 5-5 5',
  menu: 'M3 5h14 M3 10h14 M3 15h14',
  panel: 'M3 4h14v12H3z M13 4v12',
  mesh: 'M10 2l7 4v8l-7 4-7-4V6z M10 2v16 M3 6l14 8 M17 6 3 14',
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', `icon icon-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}
