// SPDX-License-Identifier: Apache-2.0
// The joints as a tree with search.
import type { App } from '../app';
import { formatCount } from '../numbers';
import type { Info } from '../protocol';
import { poseable } from '../state';
import { h, setText, show } from '../ui/dom';
import { icon } from '../ui/icons';

export function treePanel(app: App): HTMLElement {
  const search = h('input', {
    type: 'search',
    class: 'search',
    placeholder: 'Search joints',
    'aria-label': 'Search joints',
    id: 'joint-search',
  });
  const list = h('div', { class: 'tree', role: 'tree', 'aria-label': 'Joints', tabindex: '0' });
  const count = h('span', { class: 'count' });
  const none = h('p', { class: 'quiet pad' }, 'No joints yet.');
  const folded = new Set<number>();
  let rows = new Map<number, HTMLElement>();

  const visible = (): HTMLElement[] => [...rows.values()];
  const rebuild = (): void => {
    const info = app.state.opened?.info;
    const joints = info?.joints ?? [];
    const useful = info ? poseable(info) : [];
    setText(count, joints.length ? formatCount(useful.filter(Boolean).length) : '');
    rows = new Map();
    for (const { joint, depth, children } of order(joints, folded, search.value.trim().toLowerCase())) {
      if (!useful[joint]) continue;
      rows.set(
        joint,
        row(app, joints[joint], joint, depth, children && !search.value, folded.has(joint), () => {
          if (folded.has(joint)) folded.delete(joint);
          else folded.add(joint);
          rebuild();
        }),
      );
    }
    list.replaceChildren(...rows.values());
    show(none, rows.size === 0);
    setText(none, joints.length ? 'No joint has that name.' : 'No joints yet.');
    mark();
  };
  const mark = (): void => {
    for (const [joint, element] of rows) {
      element.setAttribute('aria-selected', String(joint === app.state.selected));
      element.classList.toggle('hovered', joint === app.state.hovered);
    }
  };
  list.addEventListener('keydown', (event) => {
    const all = [...rows.keys()];
    const at = all.indexOf(app.state.selected);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && all.length) {
      event.preventDefault();
      event.stopPropagation();
      app.pose.select(all[Math.min(all.length - 1, Math.max(0, at + step))]);
    } else if (event.key === 'ArrowLeft' && at >= 0) {
      folded.add(app.state.selected);
      rebuild();
    } else if (event.key === 'ArrowRight' && at >= 0) {
      folded.delete(app.state.selected);
      rebuild();
    }
  });
  search.addEventListener('input', rebuild);
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && visible().length) app.pose.select([...rows.keys()][0]);
    if (event.key === 'Escape') {
      search.value = '';
      rebuild();
      search.blur();
    }
  });
  app.store.on(['opened'], () => {
    folded.clear();
    search.value = '';
    rebuild();
  });
  app.store.on(['selected'], () => {
    reveal(app, folded, rows, rebuild);
    mark();
    rows.get(app.state.selected)?.scrollIntoView({ block: 'nearest' });
  });
  app.store.on(['hovered'], mark);
  return h(
    'section',
    { class: 'panel-part grow', 'aria-label': 'Skeleton' },
    h('header', { class: 'panel-title' }, h('h2', {}, 'Skeleton'), count),
    h('div', { class: 'search-box' }, icon('search'), search),
    list,
    none,
  );
}

/** Unfolds what hides the selected joint. */
function reveal(app: App, folded: Set<number>, rows: Map<number, HTMLElement>, rebuild: () => void): void {
  const { selected, opened } = app.state;
  if (selected < 0 || rows.has(selected) || !opened) return;
  for (let j = opened.info.joints[selected].parent; j >= 0; j = opened.info.joints[j].parent) folded.delete(j);
  rebuild();
}

interface Place {
  joint: number;
  depth: number;
  children: boolean;
}

/** Joints in the order of the tree; with a search only those that match, at one depth. */
export function order(joints: Info['joints'], folded: Set<number>, find: string): Place[] {
  const children = new Map<number, number[]>();
  joints.forEach((joint, j) => children.set(joint.parent, [...(children.get(joint.parent) ?? []), j]));
  const out: Place[] = [];
  const walk = (parent: number, depth: number): void => {
    for (const joint of children.get(parent) ?? []) {
      const matches = !find || joints[joint].name.toLowerCase().includes(find);
      if (matches) out.push({ joint, depth: find ? 0 : depth, children: (children.get(joint) ?? []).length > 0 });
      if (find || !folded.has(joint)) walk(joint, depth + 1);
    }
  };
  walk(-1, 0);
  return out;
}

function row(
  app: App,
  joint: Info['joints'][number],
  index: number,
  depth: number,
  children: boolean,
  isFolded: boolean,
  fold: () => void,
): HTMLElement {
  const twisty = h('span', {
    class: 'twisty',
    on: {
      click: (event) => {
        event.stopPropagation();
        fold();
      },
    },
  });
  if (children) twisty.append(icon('chevron'));
  const element = h(
    'div',
    {
      class: `tree-row${joint.deforms ? '' : ' mute'}`,
      role: 'treeitem',
      'aria-level': depth + 1,
      'data-joint': joint.name,
      title: joint.name,
      'aria-expanded': children ? String(!isFolded) : undefined,
      on: {
        click: () => app.pose.select(index),
        pointerenter: () => app.store.set({ hovered: index }),
        pointerleave: () => app.store.set({ hovered: -1 }),
      },
    },
    twisty,
    h('span', { class: 'name' }, joint.name),
  );
  element.style.setProperty('--depth', String(depth));
  return element;
}
