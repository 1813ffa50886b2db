// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { fieldsOf, labelOf } from '../../src/panels/deformers';
import type { SettingInfo } from '../../src/protocol';

const setting = (name: string, owners: Record<string, number>): SettingInfo => ({
  name: name as SettingInfo['name'],
  help: '',
  kind: 'number',
  words: [],
  owners,
});

describe('the controls of a deformer', () => {
  const table = [
    setting('deformer', { skeleton: 0 }),
    setting('iterations', { arap: 30, points: 6 }),
    setting('ease', { curve: 1 }),
    setting('boneEase', { curve: 1 }),
    setting('mushPasses', { mush: 10 }),
  ];
  it('are those that it reads, and delta mush where it is on', () => {
    expect(fieldsOf(table, 'points', false).map((s) => s.name)).toEqual(['iterations']);
    expect(fieldsOf(table, 'curve', true).map((s) => s.name)).toEqual(['ease', 'mushPasses']);
    expect(fieldsOf(table, 'lbs', false)).toEqual([]);
  });
  it('are called as the table calls them', () => {
    expect(labelOf('mushPasses')).toBe('Mush passes');
    expect(labelOf('mix')).toBe('Mix');
  });
});
