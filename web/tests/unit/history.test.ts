// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { History } from '../../src/history';

function of(...entries: string[]): History<string> {
  const history = new History<string>();
  history.start(entries[0]);
  entries.slice(1).forEach((entry) => history.commit(entry));
  return history;
}

test('undo goes back one by one, and redo the same way forward', () => {
  const history = of('rest', 'a', 'b');
  expect([history.undo(), history.undo(), history.undo()]).toEqual(['a', 'rest', undefined]);
  expect(history.canUndo).toBe(false);
  expect([history.redo(), history.redo(), history.redo()]).toEqual(['a', 'b', undefined]);
  expect(history.canRedo).toBe(false);
});

test('what was undone is gone after something new', () => {
  const history = of('rest', 'a', 'b');
  history.undo();
  history.commit('c');
  expect(history.canRedo).toBe(false);
  expect(history.undo()).toBe('a');
});

test('the oldest entry goes when there are too many', () => {
  const history = new History<number>(3);
  history.start(0);
  [1, 2, 3].forEach((n) => history.commit(n));
  expect([history.undo(), history.undo(), history.undo()]).toEqual([2, 1, undefined]);
});

test('a new file forgets the old one', () => {
  const history = of('rest', 'a');
  history.start('other');
  expect(history.canUndo).toBe(false);
  expect(history.present).toBe('other');
});
