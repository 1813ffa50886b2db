// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { Api } from '../../src/api';
import { App } from '../../src/app';
import { type Engine, EngineError } from '../../src/engine';
import type { Runner } from '../../src/jobRunner';
import type { DeformSettings, Slot } from '../../src/protocol';

test('a save that fails while vertices are pinned leaves the deformer as it was', async () => {
  const built: [Slot, DeformSettings][] = [];
  const engine = {
    setDeformer: async (slot: Slot, settings: DeformSettings) => void built.push([slot, settings]),
    call: async () => {
      throw new EngineError('the mesh is too large for a file', 6);
    },
  } as unknown as Engine;
  const app = new App(engine, {} as Api, {} as Runner);
  app.store.set({ pins: [{ vertex: 3, target: [0, 1, 2] }], slots: [{ deformer: 'dqs' }, { deformer: '' }] });
  await app.files.saveMesh();
  expect(built.map(([slot, settings]) => [slot, settings.deformer])).toEqual([
    [0, 'arap'],
    [0, 'dqs'],
  ]);
  expect(app.state.notices.map((n) => n.text)).toEqual(['the mesh is too large for a file']);
});
