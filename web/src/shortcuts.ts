// SPDX-License-Identifier: Apache-2.0
import type { App } from './app';
import { nextTheme } from './panels/topbar';
import { canUse, TOOLS } from './panels/toolbar';
import type { State } from './state';

export interface Commands {
  open(): void;
  help(): void;
  picture(): void;
  frame(): void;
  view(name: 'front' | 'left' | 'right' | 'top' | 'three-quarter'): void;
  cancelDrag(): boolean;
  unpin(): void;
}

const LAYOUTS: State['layout'][] = ['single', 'side', 'wipe'];

export function bindShortcuts(app: App, commands: Commands): void {
  const flip = (key: keyof State['show']) =>
    app.store.set({ show: { ...app.state.show, [key]: !app.state.show[key] } });
  const hop = (frames: number): void => {
    const { clip, opened, time } = app.state;
    const whole = opened?.info.clips[clip]?.duration;
    if (whole === undefined) return;
    const seconds = Math.min(whole, Math.max(0, time + frames / 30));
    app.store.set({ time: seconds });
    void app.pose.edit([{ op: 'clip', clip, seconds }]);
  };
  const plain: Record<string, () => void> = {
    f: commands.frame,
    '1': () => commands.view('front'),
    '2': () => commands.view('left'),
    '3': () => commands.view('right'),
    '7': () => commands.view('top'),
    '0': () => commands.view('three-quarter'),
    k: () => flip('skeleton'),
    w: () => flip('wire'),
    g: () => flip('ground'),
    m: () => flip('textures'),
    '[': () => app.paint.set({ size: Math.max(4, app.state.paint.size / 1.2) }),
    ']': () => app.paint.set({ size: Math.min(200, app.state.paint.size * 1.2) }),
    l: () => app.store.set({ theme: nextTheme(app.state.theme) }),
    x: () => app.store.set({ localAxes: !app.state.localAxes }),
    v: () => {
      if (canUse('rotate', app.state))
        void app.deformers.setLayout(LAYOUTS[(LAYOUTS.indexOf(app.state.layout) + 1) % LAYOUTS.length]);
    },
    o: commands.open,
    '?': commands.help,
    ' ': () => (app.state.playing ? app.pose.pause() : app.pose.play()),
    arrowleft: () => hop(-1),
    arrowright: () => hop(1),
    '/': () => document.getElementById('joint-search')?.focus(),
    escape: () => {
      if (!commands.cancelDrag()) app.pose.select(-1);
    },
    backspace: () => {
      if (app.state.tool === 'pin' && app.state.pins.length) commands.unpin();
    },
  };
  for (const { tool, key } of TOOLS)
    plain[key] = () => {
      if (canUse(tool, app.state)) app.setTool(tool);
    };
  const control: Record<string, (shift: boolean) => void> = {
    z: (shift) => void (shift ? app.pose.redo() : app.pose.undo()),
    y: () => void app.pose.redo(),
    s: (shift) => (shift ? commands.picture() : void app.files.saveGlb()),
    o: () => commands.open(),
  };
  window.addEventListener('keydown', (event) => {
    if (event.altKey || document.querySelector('dialog[open]')) return;
    const key = event.key.toLowerCase();
    const typing = isTyping(event.target);
    if (event.ctrlKey || event.metaKey) {
      if (typing && key === 'z') return; // the field's own
      if (!control[key]) return;
      event.preventDefault();
      return control[key](event.shiftKey);
    }
    if (typing || !plain[key]) return;
    if ((key === ' ' || key === 'enter') && event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    plain[key]();
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && target.type !== 'checkbox';
}
