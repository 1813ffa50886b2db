// SPDX-License-Identifier: Apache-2.0
// Which deformer each picture uses, its settings, and what it had to compute.
import type { App } from '../app';
import type { DeformSettings, Method, SettingInfo, Slot } from '../protocol';
import type { State } from '../state';
import { isSkinned } from '../state';
import { checkbox, type Choice, NumberField, section, select, setChoices, Slider } from '../ui/controls';
import { h, setText, show } from '../ui/dom';

/** Numbers that are set by hand rarely go further than this, whatever the table allows. */
const SLIDER_MOST = 3;
const COUNT_MOST = 128;
/** What has a control of its own, or no sensible one here. */
const ELSEWHERE = new Set([
  'deformer',
  'remove',
  'keySpace',
  'joint',
  'boneSegments',
  'boneEase',
  'stiffness',
  'stiffnessAttribute',
]);

/** The controls of a deformer, from the table that the command line is made from. */
export function fieldsOf(settings: readonly SettingInfo[], deformer: string, mush: boolean): SettingInfo[] {
  return settings.filter((s) => !ELSEWHERE.has(s.name) && (deformer in s.owners || (mush && 'mush' in s.owners)));
}

/** mushPasses -> Mush passes. */
export function labelOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

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
  const change = (patch: Partial<DeformSettings>): void =>
    void app.deformers.set(slot, { ...app.state.slots[slot], ...patch });
  const rename = (name: string, mush: boolean): void => change({ deformer: mush ? `${name}+mush` : name });
  const method = select(slot ? 'Right' : 'Left', [], (name) => rename(name, mush.input.checked));
  method.input.setAttribute('aria-label', slot ? 'Deformer on the right' : 'Deformer');
  method.input.dataset.role = `deformer-${slot}`;
  const mush = checkbox('Delta mush', (on) => rename(baseName(app.state.slots[slot]), on));
  const keySpace = select(
    'Shape keys',
    ['object', 'tangent', 'differential'].map((v) => ({ value: v, label: `in ${v} space` })),
    (value) => change({ keySpace: value }),
  );
  const summary = h('p', { class: 'quiet small' });
  const fields = h('div', { class: 'stack' });
  const warnings = h('ul', { class: 'warnings' });
  let shown = '';
  app.store.on(['slots', 'deformers', 'opened', 'warnings'], (state) => {
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
      const list = fieldsOf(state.settings, baseName(settings), mush.input.checked);
      // A control that is being used stays: only another deformer makes new ones.
      if (fields.dataset.of !== settings.deformer || !fields.contains(document.activeElement)) {
        fields.dataset.of = settings.deformer;
        fields.replaceChildren(...list.map((field) => fieldElement(field, settings, change)));
      }
    }
    warnings.replaceChildren(...state.warnings[slot].map((warning) => h('li', {}, asSentence(warning))));
  });
  return h('div', { class: 'slot stack' }, method.element, summary, fields, keySpace.element, mush.element, warnings);
}

function sentence(method: Method | undefined): string {
  if (!method) return '';
  const text = method.summary.replace(/; see `[^`]*`/, '');
  return text.charAt(0).toUpperCase() + text.slice(1) + '.';
}

function asSentence(warning: string): string {
  return warning.charAt(0).toUpperCase() + warning.slice(1).replace(/[.]?$/, '.');
}

function choices(state: Readonly<State>): Choice[] {
  const info = state.opened?.info;
  return state.deformers.map(({ name, summary }) => {
    const lacks =
      name === 'cage' && !info?.cages.length
        ? 'no cage'
        : name.startsWith('points') && !info?.handles.length
          ? 'no handles'
          : '';
    return {
      value: name,
      label: lacks ? `${name} (${lacks})` : name === 'elastic' ? 'elastic (seconds per frame)' : name,
      disabled: lacks !== '',
      title: summary,
    };
  });
}

function fieldElement(
  field: SettingInfo,
  settings: DeformSettings,
  change: (patch: Partial<DeformSettings>) => void,
): HTMLElement {
  const label = labelOf(field.name);
  const now = settings[field.name] ?? field.owners[baseName(settings)] ?? field.owners.mush;
  const titled = (element: HTMLElement): HTMLElement => {
    element.title = field.help;
    return element;
  };
  if (field.kind === 'word') {
    const input = select(
      label,
      field.words.map((c) => ({ value: c, label: c })),
      (value) => change({ [field.name]: value }),
    );
    input.input.value = typeof now === 'string' ? now : '';
    return titled(input.element);
  }
  if (field.kind === 'flag') {
    const input = checkbox(label, (on) => change({ [field.name]: on }));
    input.input.checked = now === true;
    return titled(input.element);
  }
  if (field.kind === 'whole') {
    const most = Math.min(field.most ?? COUNT_MOST, COUNT_MOST);
    const input = new NumberField({
      label,
      step: 1,
      digits: 0,
      least: field.least ?? 0,
      most,
      change: (value, final) => {
        if (final) change({ [field.name]: Math.round(value) });
      },
    });
    input.set(Number(now));
    return titled(input.element);
  }
  const input = new Slider({
    label,
    least: field.least ?? 0,
    most: Math.min(field.most ?? SLIDER_MOST, SLIDER_MOST),
    step: 0.01,
    change: (value, final) => {
      if (final) change({ [field.name]: value });
    },
  });
  input.set(Number(now));
  return titled(input.element);
}
