// SPDX-License-Identifier: Apache-2.0
// What lies over the picture: legend, figures, captions and divider of the split view, notices, progress, a welcome.
import type { App } from '../app';
import { clamp, formatCount, formatNumber } from '../numbers';
import type { State } from '../state';
import { button, progress } from '../ui/controls';
import { h, setText, show } from '../ui/dom';
import { icon } from '../ui/icons';
import { heatTable } from '../view/colourMap';
import { percent } from './heat';

const NAMES: Record<string, string> = {
  weight: 'Weight',
  deformer: 'Deformer weight d',
  swing: 'Swing s',
  twist: 'Twist t',
  endpoint: 'Endpoint e',
  stiffness: 'Stiffness',
};

export function statistics(app: App): HTMLElement {
  const line = h('div', { class: 'stats', 'data-role': 'stats', 'aria-label': 'Statistics' });
  const entry = (name: string, title = ''): HTMLElement => {
    const value = h('b', {});
    line.append(h('span', { title }, value, ` ${name}`));
    return value;
  };
  const vertices = entry('vertices'),
    faces = entry('faces'),
    ms = entry('', 'Time of the deformer for this frame; GPU: it runs on the graphics card'),
    fps = entry('frames/s');
  app.store.on(['graphics'], ({ graphics }) => fps.parentElement?.setAttribute('title', `Drawn by ${graphics}`));
  app.store.on(['opened', 'frame', 'fps'], (state) => {
    show(line, state.opened !== null);
    if (!state.opened) return;
    setText(vertices, formatCount(state.opened.info.vertices));
    setText(faces, formatCount(state.opened.info.faces));
    const took = (t: number): string => t.toFixed(t < 10 ? 1 : 0);
    setText(ms, state.frame?.slots.map((s) => (s ? `${took(s.milliseconds)} ms` : 'GPU')).join(' | ') ?? '–');
    setText(fps, state.fps ? formatNumber(state.fps, 0) : '–');
  });
  return line;
}

export function legend(app: App): HTMLElement {
  const canvas = h('canvas', { width: 256, height: 1, class: 'legend-bar', 'aria-hidden': 'true' });
  const context = canvas.getContext('2d');
  if (context) context.putImageData(new ImageData(new Uint8ClampedArray(heatTable()), 256, 1), 0, 0);
  const title = h('div', { class: 'legend-title' });
  const ticks = [0, 1, 2, 3, 4].map(() => h('span', {}));
  const none = h('div', { class: 'legend-none' }, h('i', {}), 'no part');
  const box = h(
    'div',
    { class: 'legend', role: 'img', 'data-role': 'legend' },
    title,
    canvas,
    h('div', { class: 'legend-ticks' }, ...ticks),
    none,
  );
  app.store.on(['heatView', 'opened'], ({ heatView, opened }) => {
    const on = heatView !== null && !heatView.stale && opened !== null;
    show(box, on);
    if (!on) return;
    const reference = heatView.kind === 'reference';
    const stiffness = heatView.kind === 'stiffness';
    setText(
      title,
      reference
        ? 'Distance to the elastic reference, relative to the size'
        : stiffness
          ? 'Stiffness of the flesh'
          : `${NAMES[heatView.kind]} of ${opened.info.joints[heatView.joint]?.name ?? ''}`,
    );
    box.setAttribute(
      'aria-label',
      `${title.textContent}, from 0 (dark blue) to ${reference ? percent(heatView.range) : '1'} (yellow)`,
    );
    ticks.forEach((tick, k) =>
      setText(
        tick,
        reference
          ? k % 2
            ? ''
            : percent((heatView.range * k) / 4)
          : stiffness
            ? formatNumber(0.05 * 2000 ** (k / 4), 2)
            : formatNumber(k / 4, 2),
      ),
    );
    show(none, !reference && !stiffness);
  });
  return box;
}

export function split(app: App): HTMLElement {
  const captions = [0, 1].map((slot) =>
    h('div', { class: 'caption', 'data-role': `caption-${slot}` }, h('b', {}), h('small', {})),
  );
  const divider = h(
    'div',
    {
      class: 'divider',
      role: 'separator',
      tabindex: '0',
      'aria-orientation': 'vertical',
      'aria-label': 'Divider of the two pictures',
    },
    h('i', {}),
  );
  const layer = h('div', { class: 'split' }, ...captions, divider);
  const move = (part: number): void => app.store.set({ divider: clamp(part, 0.1, 0.9) });
  divider.addEventListener('pointerdown', (event) => {
    divider.setPointerCapture(event.pointerId);
    const drag = (e: PointerEvent): void => {
      const box = layer.getBoundingClientRect();
      move((e.clientX - box.left) / box.width);
    };
    divider.addEventListener('pointermove', drag);
    divider.addEventListener('lostpointercapture', () => divider.removeEventListener('pointermove', drag), {
      once: true,
    });
  });
  divider.addEventListener('dblclick', () => move(0.5));
  divider.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -0.02, ArrowRight: 0.02 }[event.key];
    if (!step) return;
    event.stopPropagation();
    move(app.state.divider + step);
  });
  app.store.on(['layout', 'divider', 'slots', 'heatView', 'frame'], (state) => {
    show(layer, state.layout !== 'single');
    layer.style.setProperty('--divider', `${100 * state.divider}%`);
    divider.setAttribute('aria-valuenow', String(Math.round(100 * state.divider)));
    captions.forEach((caption, slot) => {
      setText(caption.children[0] as HTMLElement, state.slots[slot].deformer);
      setText(caption.children[1] as HTMLElement, figuresOf(state, slot));
    });
  });
  return layer;
}

function figuresOf(state: Readonly<State>, slot: number): string {
  const figures = state.heatView?.figures[slot];
  return figures ? `largest ${percent(figures.max)}, rms ${percent(figures.rms)}` : '';
}

export function notices(app: App): HTMLElement {
  const box = h('div', { class: 'notices', role: 'status', 'aria-live': 'polite' });
  app.store.on(['notices'], (state) => {
    box.replaceChildren(
      ...state.notices.map((notice) =>
        h(
          'div',
          {
            class: `notice ${notice.kind}`,
            'data-role': 'notice',
            role: notice.kind === 'error' ? 'alert' : undefined,
          },
          h(
            'div',
            { class: 'notice-text' },
            h('b', {}, notice.title),
            h('p', {}, notice.text),
            notice.action ? button(notice.action.label, { class: 'button small', run: notice.action.run }) : null,
          ),
          h(
            'button',
            {
              type: 'button',
              class: 'tool',
              'aria-label': 'Dismiss',
              title: 'Dismiss',
              on: { click: () => app.notices.dismiss(notice.id) },
            },
            icon('close'),
          ),
        ),
      ),
    );
  });
  return box;
}

export function busy(app: App): HTMLElement {
  const text = h('p', {});
  const bar = progress();
  const stop = button('Stop', {
    class: 'button small',
    title: 'Stop this and go back',
    run: () => app.engine.restart('It was stopped by hand.'),
  });
  const box = h('div', { class: 'busy', role: 'status' }, text, bar.element, stop);
  app.store.on(['busy', 'building', 'ready', 'slow', 'preparing'], (state) => {
    const message =
      state.busy?.text ??
      (!state.ready
        ? 'Loading the deformers'
        : state.building
          ? state.preparing
            ? `Making what the deformer lacks: ${state.preparing.stage}`
            : 'Preparing the deformer'
          : state.slow
            ? 'Deforming'
            : '');
    box.classList.toggle('on', message !== '');
    if (message) setText(text, message);
    bar.set((state.busy ?? state.preparing)?.fraction || null);
    show(stop, state.busy === null && (state.building || state.slow) && state.frame !== null);
  });
  return box;
}

/** Files beside a page that stands alone, and its documentation. */
async function listExamples(app: App, list: HTMLElement): Promise<void> {
  const names = await fetch('examples/list.json')
    .then((response) => (response.ok ? (response.json() as Promise<string[]>) : []))
    .catch(() => []);
  const link = (name: string): HTMLElement =>
    h('button', { type: 'button', class: 'link', on: { click: () => void app.files.openExample(name) } }, name);
  if (names.length) list.append('Or try ', ...names.flatMap((name, k) => [k ? ', ' : '', link(name)]), '. ');
  list.append(h('a', { href: 'docs/studio.html' }, 'Documentation'));
}

export function welcome(app: App, open: () => void): HTMLElement {
  const examples = h('p', { class: 'small' });
  const box = h(
    'div',
    { class: 'welcome' },
    icon('mesh'),
    h('h1', {}, 'Drop a mesh or a rig here'),
    h('p', {}, '.glb, .gltf, .obj, .ply, .off or .stl. It stays on this computer.'),
    button('Open a file', { icon: 'open', class: 'button primary', run: open }),
    examples,
  );
  app.store.on(['alone'], ({ alone }) => {
    if (alone) void listExamples(app, examples);
  });
  app.store.on(['opened', 'busy', 'ready'], (state) =>
    show(box, state.opened === null && state.busy === null && state.ready),
  );
  return box;
}

/** A circle around what the brush touches. */
export function brushCursor(app: App): HTMLElement {
  const ring = h('div', { class: 'brush', hidden: true, 'aria-hidden': 'true' });
  app.store.on(['brush', 'paint', 'tool'], ({ brush, paint, tool }) => {
    show(ring, brush !== null && tool === 'paint');
    if (!brush) return;
    ring.style.width = ring.style.height = `${2 * paint.size}px`;
    ring.style.transform = `translate(${brush.x - paint.size}px, ${brush.y - paint.size}px)`;
  });
  return ring;
}

export function readout(app: App): HTMLElement {
  const box = h('output', { class: 'readout', hidden: true });
  app.store.on(['readout'], ({ readout: now }) => {
    show(box, now !== null);
    if (!now) return;
    setText(box, now.text);
    box.style.transform = `translate(${Math.round(now.x + 18)}px, ${Math.round(now.y - 34)}px)`;
  });
  return box;
}
