// SPDX-License-Identifier: Apache-2.0
import type { Rig } from '../rig.js';
import { floatOf, moveBy, putRows, RowWriter, type Deformer, type Pose, type Six } from './deformer.js';

/** Joint and weight of every influence, as stored: sorted, and normalised by the reader. */
export function packSkin(rig: Rig, extra?: (entry: number) => [number, number]): { rows: Uint32Array; vertexRows: Uint32Array } {
  const rows = new RowWriter(), vertexRows = new Uint32Array(2 * rig.vertices), { offsets, joints, weights } = rig.skin;
  for (let i = 0; i < rig.vertices; ++i) {
    vertexRows[2 * i] = rows.texels;
    vertexRows[2 * i + 1] = offsets[i + 1] - offsets[i];
    for (let e = offsets[i]; e < offsets[i + 1]; ++e) rows.entry(joints[e], weights[e], ...(extra?.(e) ?? [0, 0]));
  }
  return { rows: rows.done(), vertexRows };
}

export function makeLbs(rig: Rig): Deformer {
  const { rows, vertexRows } = packSkin(rig), joints = rig.skeleton.nodes.length;
  const sum = new Float64Array(12);
  return {
    name: 'lbs',
    shaders: ['lbs'],
    call: 'sinew_lbs(FIRST, int(COUNTS), rest)',
    paletteTexels: 1 + 3 * joints,
    rows,
    vertexRows,
    fill(pose: Pose, palette: Float32Array, first: number) {
      for (let j = 0; j < joints; ++j) putRows(palette, first + 1 + 3 * j, pose.matrices[j]);
    },
    move(palette: Float32Array, first: number, i: number, vertex: Six) {
      const at = vertexRows[2 * i], count = vertexRows[2 * i + 1];
      if (count === 0) return;
      sum.fill(0);
      for (let k = at; k < at + count; ++k) {
        const from = 4 * (first + 1 + 3 * rows[4 * k]), w = floatOf(rows[4 * k + 1]);
        for (let c = 0; c < 12; ++c) sum[c] += w * palette[from + c];
      }
      moveBy(sum, vertex);
    },
  };
}
