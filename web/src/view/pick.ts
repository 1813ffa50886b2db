// SPDX-License-Identifier: Apache-2.0
// What lies under the pointer, in pixels of the viewport; no scene needed.

export interface Point2 {
  x: number;
  y: number;
}

/** Column-major 4x4: world to clip space, and the part of the canvas that it fills, CSS pixels. */
export interface Projection {
  matrix: ArrayLike<number>;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** null behind the camera. z is depth, -1 (near) to 1. */
export function project(
  p: ArrayLike<number>,
  at: number,
  view: Projection,
): { x: number; y: number; z: number } | null {
  const m = view.matrix;
  const [x, y, z] = [p[at], p[at + 1], p[at + 2]];
  const w = m[3] * x + m[7] * y + m[11] * z + m[15];
  if (w <= 1e-9) return null;
  return {
    x: view.x + (((m[0] * x + m[4] * y + m[8] * z + m[12]) / w) * 0.5 + 0.5) * view.width,
    y: view.y + (0.5 - ((m[1] * x + m[5] * y + m[9] * z + m[13]) / w) * 0.5) * view.height,
    z: (m[2] * x + m[6] * y + m[10] * z + m[14]) / w,
  };
}

export function distanceToSegment(p: Point2, a: Point2, b: Point2): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const t = length > 0 ? Math.min(1, Math.max(0, ((p.x - a.x) * dx + (p.y - a.y) * dy) / length)) : 0;
  return Math.hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/** The nearest of points (3 numbers each) within `reach` pixels, the front one where two are alike; -1: none. */
export function pickPoint(pointer: Point2, points: ArrayLike<number>, view: Projection, reach: number): number {
  let best = -1;
  let bestScore = Infinity;
  for (let i = 0; 3 * i < points.length; ++i) {
    const s = project(points, 3 * i, view);
    if (!s) continue;
    const distance = Math.hypot(s.x - pointer.x, s.y - pointer.y);
    if (!(distance <= reach)) continue;
    const score = distance + s.z; // depth decides between points on one spot
    if (score < bestScore) [best, bestScore] = [i, score];
  }
  return best;
}

/** The nearest of segments (6 numbers each: two ends) within `reach` pixels; -1: none. */
export function pickSegment(pointer: Point2, segments: ArrayLike<number>, view: Projection, reach: number): number {
  let best = -1;
  let bestDistance = reach;
  for (let i = 0; 6 * i < segments.length; ++i) {
    const a = project(segments, 6 * i, view);
    const b = project(segments, 6 * i + 3, view);
    if (!a || !b) continue;
    const distance = distanceToSegment(pointer, a, b);
    if (distance <= bestDistance) [best, bestDistance] = [i, distance];
  }
  return best;
}

export interface Hit {
  triangle: number;
  distance: number;
  vertex: number;
}

/** The first triangle that a ray meets (either side), and its corner nearest to the place; null: none. */
export function pickTriangle(
  origin: ArrayLike<number>,
  direction: ArrayLike<number>,
  positions: ArrayLike<number>,
  triangles: ArrayLike<number>,
): Hit | null {
  let hit: Hit | null = null;
  const [ox, oy, oz] = [origin[0], origin[1], origin[2]];
  const [dx, dy, dz] = [direction[0], direction[1], direction[2]];
  for (let t = 0; 3 * t < triangles.length; ++t) {
    const a = 3 * triangles[3 * t],
      b = 3 * triangles[3 * t + 1],
      c = 3 * triangles[3 * t + 2];
    const ux = positions[b] - positions[a],
      uy = positions[b + 1] - positions[a + 1],
      uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a],
      vy = positions[c + 1] - positions[a + 1],
      vz = positions[c + 2] - positions[a + 2];
    const px = dy * vz - dz * vy,
      py = dz * vx - dx * vz,
      pz = dx * vy - dy * vx;
    const det = ux * px + uy * py + uz * pz;
    if (det === 0) continue;
    const sx = ox - positions[a],
      sy = oy - positions[a + 1],
      sz = oz - positions[a + 2];
    const u = (sx * px + sy * py + sz * pz) / det;
    if (!(u >= 0 && u <= 1)) continue;
    const qx = sy * uz - sz * uy,
      qy = sz * ux - sx * uz,
      qz = sx * uy - sy * ux;
    const v = (dx * qx + dy * qy + dz * qz) / det;
    if (!(v >= 0 && u + v <= 1)) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / det;
    if (!(distance > 0) || (hit && distance >= hit.distance)) continue;
    const w = 1 - u - v;
    const corner = w >= u && w >= v ? a : u >= v ? b : c;
    hit = { triangle: t, distance, vertex: corner / 3 };
  }
  return hit;
}

/** How far the pointer turned about a centre from `from` to `to`, radians in (-pi, pi], clockwise on the screen. */
export function turnedBy(centre: Point2, from: Point2, to: Point2): number {
  const a = Math.atan2(from.y - centre.y, from.x - centre.x);
  const b = Math.atan2(to.y - centre.y, to.x - centre.x);
  let turn = b - a;
  while (turn <= -Math.PI) turn += 2 * Math.PI;
  while (turn > Math.PI) turn -= 2 * Math.PI;
  return turn;
}
