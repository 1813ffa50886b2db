// SPDX-License-Identifier: Apache-2.0
// Which deformer each picture uses, its settings, and what it had to make on the spot.
import type { App } from '../app';
import type { DeformSettings, Method, Slot } from '../protocol';
import type { State } from '../state';
import { isSkinned } from '../state';
import { checkbox, type Choice, NumberField, section, select, setChoices, Slider } from '../ui/controls';
import { h, setText, show } from '../ui/dom';

type Field =
  | { key: 'mix' | 'amount' | 'ease' | 'springs' | 'mushStep'; kind: 'slider'; label: string; least: number; most: number; rest: number }
  | { key: 'segments' | 'mushPasses' | 'iterations' | 'voxels'; kind: 'count'; label: string; least: number; most: number; rest: number }
  | { key: 'blend' | 'place'; kind: 'choice'; label: string; choices: string[] }
  | { key: 'fastTwist'; kind: 'check'; label: string };

/** The settings of each deformer, as `sinew pose --help` names them. */
const FIELDS: Record<string, Field[]> = {
  mix: [{ key: 'mix', kind: 'slider', label: 'Mix', least: 0, most: 1, rest: 0.5 }],
  decomposed: [{ key: 'blend', kind: 'choice', label: 'Blend', choices: ['polar', 'explog'] }],
  'swing-twist': [{ key: 'fastTwist', kind: 'check', label: 'Fast twist, without trigonometry' }],
  curve: [{ key: 'segments', kind: 'count', label: 'Segments', least: 1, most: 64, rest: 8 }, { key: 'ease', kind: 'slider', label: 'Ease', least: 0, most: 3, rest: 1 }],
  volume: [{ key: 'amount', kind: 'slider', label: 'Amount', least: 0, most: 1, rest: 1 }],
  differential: [{ key: 'place', kind: 'choice', label: 'Place', choices: ['own', 'body'] }, { key: 'springs', kind: 'slider', label: 'Springs', least: 0, most: 1, rest: 0 }],
  arap: [{ key: 'iterations', kind: 'count', label: 'Steps', least: 0, most: 100, rest: 0 }],
  points: [{ key: 'iterations', kind: 'count', label: 'Steps', least: 0, most: 100, rest: 0 }],
  elastic: [{ key: 'voxels', kind: 'count', label: 'Voxels', least: 0, most: 128, rest: 0 }],
};
const MUSH: Field[] = [
  { key: 'mushPasses', kind: 'count', label: 'Rounds', least: 1, most: 100, rest: 10 },
  { key: 'mushStep', kind: 'slider', label: 'Step', least: 0, most: 1, rest: 0.5 },
];

export function deformerPanel(app: App): HTMLElement {
  const slots = ([0, 1] as Slot[]).map((slot) => slotPart(app, slot));
  const panel = section('Deformer', ...slots);
  app.store.on(['opened', 'layout'], (state) => {
    show(panel, isSkinned(state));
    show(slots[1], state.layout !== 'single');
    slots[0].classList.toggle('two', state.layout !== 'single');
  });
  return panel;
}

function baseName(settings: DeformSettings): string {
  return settings.deformer.replace(/\+mush$/, '');
}

function slotPart(app: App, slot: Slot): HTMLElement {
  const change = (patch: Partial<DeformSettings>): void => void app.setDeformer(slot, { ...app.state.slots[slot], ...patch });
  const rename = (name: string, mush: boolean): void => change({ deformer: mush ? `${name}+mush` : name });
  const method = select(slot ? 'Right' : 'Left', [], (name) => rename(name, mush.input.checked));
  method.input.setAttribute('aria-label', slot ? 'Deformer on the right' : 'Deformer');
  method.input.dataset.role = `deformer-${slot}`;
  const mush = checkbox('Delta mush on top', (on) => rename(baseName(app.state.slots[slot]), on));
  const keySpace = select('Shape keys', ['object', 'tangent', 'differential'].map((v) => ({ value: v, label: `in ${v} space` })), (value) => change({ keySpace: value }));
  const summary = h('p', { class: 'quiet small' });
  const fields = h('div', { class: 'stack' });
  const notes = h('ul', { class: 'notes' });
  let shown = '';
  app.store.on(['slots', 'deformers', 'opened', 'notes'], (state) => {
    setChoices(method.input, choices(state));
    const settings = state.slots[slot];
    method.input.value = baseName(settings);
    mush.input.checked = settings.deformer.endsWith('+mush');
    setText(summary, sentence(state.deformers.find((d) => d.name === baseName(settings))));
    show(keySpace.element, (state.opened?.info.keys.length ?? 0) > 0);
    keySpace.input.value = settings.keySpace ?? 'object';
    const wanted = JSON.stringify(settings);
    if (wanted !== shown) {
      shown = wanted;
      const list = [...(FIELDS[baseName(settings)] ?? []), ...(mush.input.checked ? MUSH : [])];
      // A control that is being used stays: only another deformer makes new ones.
      if (fields.dataset.of !== settings.deformer || !fields.contains(document.activeElement)) {
        fields.dataset.of = settings.deformer;
        fields.replaceChildren(...list.map((field) => fieldElement(field, settings, change)));
      }
    }
    notes.replaceChildren(...state.notes[slot].map((note) => h('li', {}, asSentence(note))));
  });
  return h('div', { class: 'slot stack' }, method.element, summary, fields, keySpace.element, mush.element, notes);
}

function sentence(method: Method | undefined): string {
  if (!method) return '';
  // The table is the command line's; here its options are the controls below.
  const text = method.summary.replace(/[,;]? ?(others )?by --[a-z-]+/g, '').replace(/; see `[^`]*`/, '');
  return text.charAt(0).toUpperCase() + text.slice(1) + '.';
}

function asSentence(note: string): string {
  return note.charAt(0).toUpperCase() + note.slice(1).replace(/[.]?$/, '.');
}

function choices(state: Readonly<State>): Choice[] {
  const info = state.opened?.info;
  return state.deformers.map(({ name, summary }) => {
    const lacks = name === 'cage' && !info?.cages.length ? 'no cage' : name.startsWith('points') && !info?.handles.length ? 'no handles' : '';
    return { value: name, label: lacks ? `${name} (${lacks})` : name === 'elastic' ? 'elastic (seconds a frame)' : name, disabled: lacks !== '', title: summary };
  });
}

function fieldElement(field: Field, settings: DeformSettings, change: (patch: Partial<DeformSettings>) => void): HTMLElement {
  if (field.kind === 'choice') {
    const input = select(field.label, field.choices.map((c) => ({ value: c, label: c })), (value) => change({ [field.key]: value }));
    input.input.value = settings[field.key] ?? field.choices[0];
    return input.element;
  }
  if (field.kind === 'check') {
    const input = checkbox(field.label, (on) => change({ [field.key]: on }));
    input.input.checked = settings[field.key] ?? false;
    return input.element;
  }
  if (field.kind === 'count') {
    const input = new NumberField({ label: field.label, step: 1, digits: 0, least: field.least, most: field.most, change: (value, final) => { if (final) change({ [field.key]: Math.round(value) }); } });
    input.set(settings[field.key] ?? field.rest);
    return input.element;
  }
  const input = new Slider({ label: field.label, least: field.least, most: field.most, step: 0.01, change: (value, final) => { if (final) change({ [field.key]: value }); } });
  input.set(settings[field.key] ?? field.rest);
  return input.element;
}
