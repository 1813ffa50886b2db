// SPDX-License-Identifier: Apache-2.0
import { ApiError } from './api';
import { EngineError } from './engine';
import type { Notice, State } from './state';
import type { Store } from './store';

/** News goes by itself; errors stay until they are dismissed. */
const NOTICE_MS = 8000;

/** What the page tells its user beside the panels. */
export class Notices {
  private last = 0;

  constructor(private readonly store: Store<State>) {}

  notify(kind: Notice['kind'], title: string, text: string, action?: Notice['action']): number {
    const id = ++this.last;
    const others = this.store.state.notices.filter((n) => n.title !== title || n.text !== text).slice(-3);
    this.store.set({ notices: [...others, { id, kind, title, text, action }] });
    if (kind === 'info') setTimeout(() => this.dismiss(id), NOTICE_MS);
    return id;
  }

  dismiss(id: number): void {
    this.store.set({ notices: this.store.state.notices.filter((n) => n.id !== id) });
  }

  fail(title: string, error: unknown): void {
    if (error instanceof ApiError && error.gone) this.store.set({ serverGone: true });
    // A worker that died is told by itself.
    if (error instanceof EngineError && error.code === 0) return;
    this.notify('error', title, error instanceof Error ? error.message : String(error));
  }
}
