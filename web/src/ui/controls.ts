// SPDX-License-Identifier: Apache-2.0
// The controls that panels are made of.
import { clamp, formatNumber, parseNumber } from '../numbers';
import { freshId, h } from './dom';
import { icon, type IconName } from './icons';

export function button(
  label: string,
  options: { icon?: IconName; title?: string; class?: string; text?: boolean; run(): void },
): HTMLButtonElement {
  const element = h('button', {
    type: 'button',
    class: options.class ?? 'button',
    title: options.title ?? label,
    'aria-label': options.title ?? label,
    on: { click: options.run },
  });
  if (options.icon) element.append(icon(options.icon));
  if (options.text !== false) element.append(h('span', {}, label));
  return element;
}

export interface NumberOptions {
  label: string;
  step: number;
  digits?: number;
  unit?: string;
  least?: number;
  most?: number;
  /** While it is dragged or stepped; `final` when the value is to be kept. */
  change(value: number, final: boolean): void;
}

/** A number to type, to step with the arrow keys, or to drag at its label. */
export class NumberField {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  private value = 0;

  constructor(private readonly options: NumberOptions) {
    const id = freshId();
    this.input = h('input', {
      id,
      class: 'number',
      type: 'text',
      inputmode: 'decimal',
      autocomplete: 'off',
      spellcheck: 'false',
    });
    const label = h('label', { for: id, class: 'scrub' }, options.label);
    this.element = h(
      'div',
      { class: 'number-field' },
      label,
      this.input,
      options.unit ? h('span', { class: 'unit', 'aria-hidden': 'true' }, options.unit) : null,
    );
    this.input.addEventListener('input', () => (this.input.dataset.typing = '1'));
    this.input.addEventListener('change', () => this.typed());
    this.input.addEventListener('focus', () => this.input.select());
    this.input.addEventListener('keydown', (event) => this.key(event));
    label.addEventListener('pointerdown', (event) => this.scrub(event, label));
    this.set(0);
  }

  /** Shows a value; one that is being typed stays. */
  set(value: number): void {
    this.value = value;
    if (document.activeElement === this.input && this.input.dataset.typing) return;
    const text = formatNumber(value, this.options.digits ?? 1);
    if (this.input.value !== text) this.input.value = text;
  }

  set disabled(off: boolean) {
    this.input.disabled = off;
  }

  private limit(value: number): number {
    return clamp(value, this.options.least ?? -Infinity, this.options.most ?? Infinity);
  }

  private typed(): void {
    delete this.input.dataset.typing;
    const value = parseNumber(this.input.value);
    if (value === null) return this.set(this.value); // what is no number changes nothing
    this.value = this.limit(value);
    this.input.value = formatNumber(this.value, this.options.digits ?? 1);
    this.options.change(this.value, true);
  }

  private key(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      delete this.input.dataset.typing;
      this.set(this.value);
      this.input.blur();
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      event.preventDefault();
      const step = this.options.step * (event.shiftKey ? 10 : 1) * (event.key === 'ArrowUp' ? 1 : -1);
      delete this.input.dataset.typing;
      this.set(this.limit(this.value + step));
      this.options.change(this.value, true);
    }
  }

  private scrub(event: PointerEvent, label: HTMLElement): void {
    if (this.input.disabled) return;
    const start = { x: event.clientX, value: this.value };
    let moved = false;
    label.setPointerCapture(event.pointerId);
    const move = (e: PointerEvent) => {
      if (!moved && Math.abs(e.clientX - start.x) < 3) return;
      moved = true;
      this.set(this.limit(start.value + (e.clientX - start.x) * this.options.step * (e.shiftKey ? 0.1 : 1)));
      this.options.change(this.value, false);
    };
    const up = (e: PointerEvent) => {
      label.removeEventListener('pointermove', move);
      label.removeEventListener('pointerup', up);
      label.removeEventListener('pointercancel', up);
      if (!moved) return;
      e.preventDefault();
      this.options.change(this.value, true);
    };
    label.addEventListener('pointermove', move);
    label.addEventListener('pointerup', up);
    label.addEventListener('pointercancel', up);
    label.addEventListener(
      'click',
      (e) => {
        if (moved) e.preventDefault();
      },
      { once: true },
    );
  }
}

export interface SliderOptions {
  label: string;
  least: number;
  most: number;
  step: number;
  digits?: number;
  change(value: number, final: boolean): void;
}

export class Slider {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  private readonly number: NumberField;

  constructor(options: SliderOptions) {
    this.input = h('input', {
      type: 'range',
      min: options.least,
      max: options.most,
      step: options.step,
      'aria-label': options.label,
    });
    this.number = new NumberField({
      label: options.label,
      step: options.step,
      digits: options.digits ?? 2,
      least: options.least,
      most: options.most,
      change: (value, final) => {
        this.draw(value);
        options.change(value, final);
      },
    });
    this.input.addEventListener('input', () => {
      this.number.set(this.input.valueAsNumber);
      options.change(this.input.valueAsNumber, false);
      this.draw(this.input.valueAsNumber);
    });
    this.input.addEventListener('change', () => options.change(this.input.valueAsNumber, true));
    this.element = h('div', { class: 'slider' }, this.number.element, this.input);
  }

  set(value: number): void {
    this.number.set(value);
    this.draw(value);
  }

  private draw(value: number): void {
    const input = this.input;
    if (document.activeElement !== input || input.valueAsNumber !== value) input.value = String(value);
    const part = (value - Number(input.min)) / (Number(input.max) - Number(input.min));
    input.style.setProperty('--part', `${clamp(part, 0, 1) * 100}%`);
  }
}

export interface Choice {
  value: string;
  label: string;
  disabled?: boolean;
  title?: string;
}

export function select(
  label: string,
  choices: Choice[],
  change: (value: string) => void,
  hideLabel = false,
): { element: HTMLElement; input: HTMLSelectElement } {
  const id = freshId();
  const input = h('select', { id, on: { change: () => change(input.value) } });
  setChoices(input, choices);
  return {
    element: h(
      'div',
      { class: 'field' },
      h('label', { for: id, class: hideLabel ? 'hidden-label' : '' }, label),
      input,
    ),
    input,
  };
}

export function setChoices(input: HTMLSelectElement, choices: Choice[]): void {
  const value = input.value;
  input.replaceChildren(
    ...choices.map((c) => h('option', { value: c.value, title: c.title, disabled: c.disabled }, c.label)),
  );
  if (choices.some((c) => c.value === value)) input.value = value;
}

export function checkbox(
  label: string,
  change: (on: boolean) => void,
): { element: HTMLElement; input: HTMLInputElement } {
  const input = h('input', { type: 'checkbox', on: { change: () => change(input.checked) } });
  return { element: h('label', { class: 'check' }, input, h('span', {}, label)), input };
}

/** One of a few, side by side. */
export class Segmented<T extends string> {
  readonly element: HTMLElement;
  private readonly buttons = new Map<T, HTMLButtonElement>();

  constructor(
    label: string,
    choices: { value: T; label: string; title?: string; icon?: IconName }[],
    change: (value: T) => void,
  ) {
    this.element = h('div', { class: 'segmented', role: 'group', 'aria-label': label });
    for (const choice of choices) {
      const element = h('button', {
        type: 'button',
        title: choice.title ?? choice.label,
        'aria-label': choice.title ?? choice.label,
        'aria-pressed': 'false',
        'data-value': choice.value,
        on: { click: () => change(choice.value) },
      });
      element.append(choice.icon ? icon(choice.icon) : choice.label);
      this.buttons.set(choice.value, element);
      this.element.append(element);
    }
  }

  set(value: T): void {
    for (const [key, element] of this.buttons) element.setAttribute('aria-pressed', String(key === value));
  }

  enable(value: T, on: boolean): void {
    const element = this.buttons.get(value);
    if (element) element.disabled = !on;
  }
}

export function progress(): { element: HTMLElement; set(fraction: number | null): void } {
  const bar = h('div', { class: 'progress-bar' });
  const element = h('div', { class: 'progress', role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100 }, bar);
  return {
    element,
    set(fraction) {
      element.classList.toggle('endless', fraction === null);
      bar.style.width = fraction === null ? '' : `${clamp(fraction, 0, 1) * 100}%`;
      if (fraction === null) element.removeAttribute('aria-valuenow');
      else element.setAttribute('aria-valuenow', String(Math.round(100 * fraction)));
    },
  };
}

/** A part of a side panel that can be folded. */
export function section(title: string, ...children: (Node | string)[]): HTMLDetailsElement {
  return h(
    'details',
    { class: 'section', open: true },
    h('summary', {}, icon('chevron'), h('span', {}, title)),
    h('div', { class: 'section-body' }, ...children),
  );
}
