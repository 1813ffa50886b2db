// SPDX-License-Identifier: Apache-2.0

/** A flat state with subscribers by key. A subscriber runs at once, and again when one of its keys gets another value. */
export class Store<S extends object> {
  private readonly watchers = new Map<keyof S, Set<(state: Readonly<S>) => void>>();
  private readonly current: S;

  constructor(initial: S) {
    this.current = { ...initial };
  }

  get state(): Readonly<S> {
    return this.current;
  }

  set(patch: Partial<S>): void {
    const due = new Set<(state: Readonly<S>) => void>();
    for (const key of Object.keys(patch) as (keyof S)[]) {
      const value = patch[key];
      if (value === undefined || Object.is(this.current[key], value)) continue;
      this.current[key] = value as S[keyof S];
      this.watchers.get(key)?.forEach((watcher) => due.add(watcher));
    }
    due.forEach((watcher) => watcher(this.current));
  }

  /** Returns what ends the subscription. */
  on(keys: (keyof S)[], watcher: (state: Readonly<S>) => void): () => void {
    for (const key of keys) {
      const set = this.watchers.get(key) ?? new Set();
      set.add(watcher);
      this.watchers.set(key, set);
    }
    watcher(this.current);
    return () => keys.forEach((key) => this.watchers.get(key)?.delete(watcher));
  }
}
