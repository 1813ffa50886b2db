// SPDX-License-Identifier: Apache-2.0
import { expect, test, vi } from 'vitest';
import { Store } from '../../src/store';

test('a subscriber runs at once and when one of its keys changes', () => {
  const store = new Store({ a: 1, b: 1 });
  const watcher = vi.fn();
  store.on(['a'], watcher);
  expect(watcher).toHaveBeenCalledTimes(1);
  store.set({ b: 2 });
  expect(watcher).toHaveBeenCalledTimes(1);
  store.set({ a: 2 });
  expect(watcher).toHaveBeenCalledTimes(2);
  expect(store.state).toEqual({ a: 2, b: 2 });
});

test('two keys of one change are one call, and the same value is none', () => {
  const store = new Store({ a: 1, b: 1 });
  const watcher = vi.fn();
  store.on(['a', 'b'], watcher);
  store.set({ a: 5, b: 6 });
  expect(watcher).toHaveBeenCalledTimes(2);
  store.set({ a: 5, b: 6 });
  expect(watcher).toHaveBeenCalledTimes(2);
});

test('a subscription that was ended is quiet', () => {
  const store = new Store({ a: 1 });
  const watcher = vi.fn();
  store.on(['a'], watcher)();
  store.set({ a: 2 });
  expect(watcher).toHaveBeenCalledTimes(1);
});
