// SPDX-License-Identifier: Apache-2.0
import type { App } from '../app';
import type { State, Theme } from '../state';
import { isSkinned } from '../state';
import { button, Segmented } from '../ui/controls';
import { h, setText } from '../ui/dom';
import { icon, type IconName } from '../ui/icons';

export interface TopbarActions {
  open(): void;
  picture(transparent: boolean): void;
  help(): void;
}

export function topbar(app: App, actions: TopbarActions): HTMLElement {
  const name = h('span', { class: 'file-name', 'data-role': 'file-name' });
  const undo = iconButton('undo', 'Undo (Ctrl+Z)', () => void app.pose.undo());
  const redo = iconButton('redo', 'Redo (Ctrl+Shift+Z)', () => void app.pose.redo());
  const reset = iconButton('reset', 'Reset the pose', () => void app.pose.reset());
  const layout = new Segmented<State['layout']>(
    'Split view',
    [
      { value: 'single', label: 'One', title: 'One picture', icon: 'single' },
      { value: 'side', label: 'Two', title: 'Two deformers side by side', icon: 'side' },
      { value: 'wipe', label: 'Wipe', title: 'Two deformers, one view with a divider', icon: 'wipe' },
    ],
    (value) => void app.deformers.setLayout(value),
  );
  const toggle = (key: keyof State['show'], title: string): HTMLButtonElement =>
    iconButton(key, title, () => app.store.set({ show: { ...app.state.show, [key]: !app.state.show[key] } }));
  const shows = {
    skeleton: toggle('skeleton', 'Skeleton (K)'),
    wire: toggle('wire', 'Edges (W)'),
    ground: toggle('ground', 'Floor (G)'),
    textures: toggle('textures', 'Materials or clay (M)'),
  };
  const theme = iconButton('light', 'Light or dark', () => app.store.set({ theme: nextTheme(app.state.theme) }));
  const left = iconButton('menu', 'Show or hide the skeleton panel', () => document.body.classList.toggle('left-open'));
  left.classList.add('narrow-only');
  const right = iconButton('panel', 'Show or hide the settings', () => document.body.classList.toggle('right-open'));
  right.classList.add('narrow-only');
  const save = saveMenu(app, actions);

  app.store.on(['file', 'canUndo', 'canRedo', 'opened', 'layout', 'show', 'theme'], (state) => {
    setText(name, state.file?.name ?? '');
    name.title = state.file?.name ?? '';
    document.title = state.file ? `${state.file.name} – sinew studio` : 'sinew studio';
    undo.disabled = !state.canUndo;
    redo.disabled = !state.canRedo;
    reset.disabled = state.opened === null;
    layout.set(state.layout);
    layout.enable('side', isSkinned(state));
    layout.enable('wipe', isSkinned(state));
    save.opener.disabled = state.opened === null;
    (Object.keys(shows) as (keyof State['show'])[]).forEach((key) =>
      shows[key].setAttribute('aria-pressed', String(state.show[key])),
    );
    const wanted = { auto: 'Light or dark: system setting', light: 'Light', dark: 'Dark' }[state.theme];
    theme.title = `${wanted} (L)`;
    theme.setAttribute('aria-label', theme.title);
    theme.replaceChildren(icon(isDark(state.theme) ? 'dark' : 'light'));
  });

  return h(
    'header',
    { class: 'topbar' },
    left,
    h('div', { class: 'brand' }, h('b', {}, 'sinew'), h('span', {}, 'studio')),
    button('Open', { icon: 'open', class: 'button', title: 'Open a file (O)', run: actions.open }),
    save.element,
    name,
    h('div', { class: 'group' }, undo, redo, reset),
    h('div', { class: 'spacer' }),
    layout.element,
    h('div', { class: 'group' }, shows.textures, shows.skeleton, shows.wire, shows.ground),
    h('div', { class: 'group' }, theme, iconButton('help', 'Shortcuts (?)', actions.help), right),
  );
}

export function iconButton(name: IconName, title: string, run: () => void): HTMLButtonElement {
  return h('button', { type: 'button', class: 'tool', title, 'aria-label': title, on: { click: run } }, icon(name));
}

export function isDark(theme: Theme): boolean {
  return theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
}

export function nextTheme(theme: Theme): Theme {
  return isDark(theme) ? 'light' : 'dark';
}

function saveMenu(app: App, actions: TopbarActions): { element: HTMLElement; opener: HTMLButtonElement } {
  const item = (label: string, hint: string, run: () => void): HTMLButtonElement =>
    h(
      'button',
      {
        type: 'button',
        role: 'menuitem',
        on: {
          click: () => {
            close();
            run();
          },
        },
      },
      h('span', {}, label),
      h('small', {}, hint),
    );
  const items = [
    item('Rig in this pose', '.glb', () => void app.files.saveGlb()),
    item('Pose', '.json', () => app.files.savePose()),
    item('Deformed mesh', '.obj', () => void app.files.saveMesh()),
    item('Picture', '.png', () => actions.picture(false)),
    item('Picture, transparent', '.png', () => actions.picture(true)),
  ];
  const menu = h('div', { class: 'menu', role: 'menu', hidden: true, 'aria-label': 'Save' }, ...items);
  const opener = button('Save', {
    icon: 'save',
    class: 'button',
    title: 'Save',
    run: () => (menu.hidden ? open() : close()),
  });
  opener.setAttribute('aria-haspopup', 'menu');
  const outside = (event: Event): void => {
    if (!element.contains(event.target as Node)) close();
  };
  const open = (): void => {
    menu.hidden = false;
    opener.setAttribute('aria-expanded', 'true');
    items[0].focus();
    document.addEventListener('pointerdown', outside, true);
  };
  const close = (): void => {
    menu.hidden = true;
    opener.setAttribute('aria-expanded', 'false');
    document.removeEventListener('pointerdown', outside, true);
  };
  menu.addEventListener('keydown', (event) => {
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) items[(at + step + items.length) % items.length].focus();
    if (event.key === 'Escape') {
      close();
      opener.focus();
    }
    if (step || event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
    }
  });
  const element = h('div', { class: 'menu-box' }, opener, menu);
  return { element, opener };
}
