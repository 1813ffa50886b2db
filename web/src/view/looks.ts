// SPDX-License-Identifier: Apache-2.0
// What the file says of colours, as the graphics card takes it.
import type { Material } from 'three';
import { readGltf } from '../gltfFile';
import type { Opened } from '../protocol';
import { materialsOf } from './materials';

export interface LooksView {
  /** Those of the mesh, by part. */
  triangles: Uint32Array;
  groups: { start: number; count: number; material: number }[];
  texcoords: [Float32Array, Float32Array];
  /** 3 a vertex, or none. */
  colours: Float32Array | null;
  /** Per part. */
  materials: Material[];
}

/** Triangles put in order by material, one group each. */
export function groupByMaterial(
  triangles: Uint32Array,
  ofTriangle: Uint32Array,
  materials: number,
): LooksView['groups'] & { order: Uint32Array } {
  const counts = new Array<number>(materials + 1).fill(0);
  ofTriangle.forEach((m) => (counts[m + 1] += 1));
  for (let m = 0; m < materials; ++m) counts[m + 1] += counts[m];
  const groups = Array.from({ length: materials }, (_, m) => ({
    start: 3 * counts[m],
    count: 3 * (counts[m + 1] - counts[m]),
    material: m,
  }));
  const order = new Uint32Array(triangles.length);
  const next = counts.slice();
  ofTriangle.forEach((m, t) => {
    order.set(triangles.subarray(3 * t, 3 * t + 3), 3 * next[m]);
    next[m] += 1;
  });
  return Object.assign(
    groups.filter((g) => g.count > 0),
    { order },
  );
}

/** Null where the file has no colours. */
export async function looksOf(opened: Opened, bytes: Uint8Array): Promise<LooksView | null> {
  const { looks, triangles, rest } = opened;
  if (!looks) return null;
  const grouped = groupByMaterial(triangles, looks.ofTriangle, looks.materials.length);
  const materials = await materialsOf(readGltf(bytes), looks.materials);
  if (looks.colours) materials.forEach((material) => (material.vertexColors = true));
  const none = new Float32Array((2 * rest.length) / 3);
  return {
    triangles: grouped.order,
    groups: [...grouped],
    texcoords: [looks.texcoords[0] ?? none, looks.texcoords[1] ?? looks.texcoords[0] ?? none],
    colours: looks.colours,
    materials,
  };
}
