// SPDX-License-Identifier: Apache-2.0
// How normals tilt with the fields of flesh, to first order: flesh_tilts of src/rig/flesh.cpp.
import type { FleshField, Rig } from './rig.js';

export interface Tilt {
  /** Per mode, beside the field's steps. */
  steps: Float64Array;
  /** As the field's values. */
  values: Int8Array;
}

const SMALL = 1e-5;

/** Vertices at the same place have one number. */
function weld(positions: Float32Array): { of: Uint32Array; places: number[] } {
  const of = new Uint32Array(positions.length / 3), places: number[] = [];
  const known = new Map<string, number>();
  for (let i = 0; i < of.length; ++i) {
    const [x, y, z] = [positions[3 * i] + 0, positions[3 * i + 1] + 0, positions[3 * i + 2] + 0];
    const key = `${x} ${y} ${z}`;
    let at = known.get(key);
    if (at === undefined) {
      known.set(key, (at = places.length / 3));
      places.push(x, y, z);
    }
    of[i] = at;
  }
  return { of, places };
}

/** Normals of vertices as sums of those of triangles, weighted by their angles. */
function vertexNormals(points: Float64Array, triangles: Uint32Array, out: Float64Array): void {
  out.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const abx = points[b] - points[a], aby = points[b + 1] - points[a + 1], abz = points[b + 2] - points[a + 2];
    const acx = points[c] - points[a], acy = points[c + 1] - points[a + 1], acz = points[c + 2] - points[a + 2];
    const bcx = acx - abx, bcy = acy - aby, bcz = acz - abz;
    const nx = aby * acz - abz * acy, ny = abz * acx - abx * acz, nz = abx * acy - aby * acx, area = Math.sqrt(nx * nx + ny * ny + nz * nz);
    if (!(area > 0)) continue;
    const angles = [
      Math.atan2(area, abx * acx + aby * acy + abz * acz) / area,
      Math.atan2(area, -(bcx * abx + bcy * aby + bcz * abz)) / area,
      Math.atan2(area, acx * bcx + acy * bcy + acz * bcz) / area,
    ];
    for (let k = 0; k < 3; ++k) {
      const v = k === 0 ? a : k === 1 ? b : c;
      out[v] += angles[k] * nx;
      out[v + 1] += angles[k] * ny;
      out[v + 2] += angles[k] * nz;
    }
  }
  for (let v = 0; v < out.length; v += 3) {
    const length = Math.sqrt(out[v] * out[v] + out[v + 1] * out[v + 1] + out[v + 2] * out[v + 2]);
    const scale = length > 1e-12 ? 1 / length : 0;
    out[v] *= scale;
    out[v + 1] *= scale;
    out[v + 2] *= scale;
  }
}

function tiltOf(field: FleshField, triangles: Uint32Array, of: Uint32Array, places: number[], touching: Uint32Array[], size: number): Tilt {
  // The triangles that the field moves, by numbers of their own.
  const local = new Map<number, number>(), points: number[] = [], faces: number[] = [], seen = new Set<number>();
  const number = (p: number): number => {
    let at = local.get(p);
    if (at === undefined) {
      local.set(p, (at = local.size));
      points.push(places[3 * p], places[3 * p + 1], places[3 * p + 2]);
    }
    return at;
  };
  const found: number[] = [];
  for (const v of field.vertices) for (const t of touching[of[v]]) if (!seen.has(t)) seen.add(t) && found.push(t);
  for (const t of found.sort((a, b) => a - b)) faces.push(number(of[triangles[3 * t]]), number(of[triangles[3 * t + 1]]), number(of[triangles[3 * t + 2]]));
  const rest = Float64Array.from(points), shifted = new Float64Array(rest.length), before = new Float64Array(rest.length), after = new Float64Array(rest.length), list = Uint32Array.from(faces);
  vertexNormals(rest, list, before);
  const tilt: Tilt = { steps: new Float64Array(field.modes), values: new Int8Array(field.values.length) };
  const scale = (SMALL * size) / 127, numbers = new Float64Array(3 * field.vertices.length);
  for (let m = 0; m < field.modes; ++m) {
    shifted.set(rest);
    field.vertices.forEach((vertex, v) => {
      const at = local.get(of[vertex]);
      if (at !== undefined) for (let c = 0; c < 3; ++c) shifted[3 * at + c] = rest[3 * at + c] + scale * field.values[3 * (v * field.modes + m) + c];
    });
    vertexNormals(shifted, list, after);
    let most = 0;
    field.vertices.forEach((vertex, v) => {
      const at = local.get(of[vertex]);
      for (let c = 0; c < 3; ++c) {
        const value = at === undefined ? 0 : (field.steps[m] / scale) * (after[3 * at + c] - before[3 * at + c]);
        numbers[3 * v + c] = value;
        most = Math.max(most, Math.abs(value));
      }
    });
    tilt.steps[m] = most / 127;
    if (most > 0) for (let v = 0; v < field.vertices.length; ++v) for (let c = 0; c < 3; ++c) tilt.values[3 * (v * field.modes + m) + c] = Math.round((numbers[3 * v + c] * 127) / most);
  }
  return tilt;
}

export function fleshTilts(rig: Rig, fields: FleshField[]): Tilt[] {
  const { of, places } = weld(rig.positions);
  const lists: number[][] = Array.from({ length: places.length / 3 }, () => []);
  for (let t = 0; 3 * t < rig.triangles.length; ++t) {
    const [a, b, c] = [of[rig.triangles[3 * t]], of[rig.triangles[3 * t + 1]], of[rig.triangles[3 * t + 2]]];
    if (a === b || b === c || c === a) continue;
    for (const p of [a, b, c]) lists[p].push(t);
  }
  const touching = lists.map((list) => Uint32Array.from(list));
  return fields.map((field) => tiltOf(field, rig.triangles, of, places, touching, rig.size));
}
