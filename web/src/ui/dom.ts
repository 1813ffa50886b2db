// SPDX-License-Identifier: Apache-2.0
// Elements in one call.

type Child = Node | string | null | false;
type Props<T extends HTMLElement> = {
  class?: string;
  on?: { [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void };
  set?: Partial<Omit<T, 'style'>>;
  [attribute: string]: unknown;
};

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props<HTMLElementTagNameMap[K]> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === 'class') element.className = String(value);
    else if (name === 'on') {
      for (const [event, listener] of Object.entries(value as Record<string, EventListener>))
        element.addEventListener(event, listener);
    } else if (name === 'set') Object.assign(element, value);
    else if (value !== false && value !== undefined && value !== null)
      element.setAttribute(name, value === true ? '' : String(value as string | number));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== false));
  return element;
}

/** Text of an element, touched only when it changes. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function show(element: HTMLElement, on: boolean): void {
  if (element.hidden === on) element.hidden = !on;
}

let ids = 0;
export function freshId(): string {
  return `s${++ids}`;
}
