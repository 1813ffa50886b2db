// SPDX-License-Identifier: Apache-2.0
// Affine maps as 12 numbers, three rows of four; vectors as 3, quaternions as x, y, z, w. What a function writes comes first.

export type Numbers = Float64Array | Float32Array | number[];

export const identity = (): Float64Array => Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);

/** out may be a or b. */
export function multiply(out: Numbers, a: Numbers, b: Numbers): Numbers {
  const b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3], b4 = b[4], b5 = b[5], b6 = b[6], b7 = b[7], b8 = b[8], b9 = b[9], b10 = b[10], b11 = b[11];
  for (let i = 0; i < 12; i += 4) {
    const x = a[i], y = a[i + 1], z = a[i + 2], w = a[i + 3];
    out[i] = x * b0 + y * b4 + z * b8;
    out[i + 1] = x * b1 + y * b5 + z * b9;
    out[i + 2] = x * b2 + y * b6 + z * b10;
    out[i + 3] = x * b3 + y * b7 + z * b11 + w;
  }
  return out;
}

export function determinant(m: Numbers): number {
  return m[0] * (m[5] * m[10] - m[6] * m[9]) + m[1] * (m[6] * m[8] - m[4] * m[10]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
}

/** False where there is no inverse. */
export function invert(out: Numbers, m: Numbers): boolean {
  const d = determinant(m);
  if (!(Math.abs(d) > 1e-30)) return false;
  const [a, b, c, x, e, f, g, y, i, j, k, z] = m as number[];
  const l = [
    (f * k - g * j) / d, (c * j - b * k) / d, (b * g - c * f) / d,
    (g * i - e * k) / d, (a * k - c * i) / d, (c * e - a * g) / d,
    (e * j - f * i) / d, (b * i - a * j) / d, (a * f - b * e) / d,
  ];
  for (let row = 0; row < 3; ++row) {
    for (let col = 0; col < 3; ++col) out[4 * row + col] = l[3 * row + col];
    out[4 * row + 3] = -(l[3 * row] * x + l[3 * row + 1] * y + l[3 * row + 2] * z);
  }
  return true;
}

/** A point through a map; with w = 0 a vector. */
export function transform(m: Numbers, p: Numbers, w = 1): [number, number, number] {
  return [
    m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + w * m[3],
    m[4] * p[0] + m[5] * p[1] + m[6] * p[2] + w * m[7],
    m[8] * p[0] + m[9] * p[1] + m[10] * p[2] + w * m[11],
  ];
}

export type Vec = [number, number, number];
export const minus = (a: Numbers, b: Numbers): Vec => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const dot = (a: Numbers, b: Numbers): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Numbers, b: Numbers): Vec => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const norm = (a: Numbers): number => Math.hypot(a[0], a[1], a[2]);
export const scaled = (a: Numbers, s: number): Vec => [a[0] * s, a[1] * s, a[2] * s];

/** Rotation by an angle about an axis of unit length, as an affine map that keeps `centre`. */
export function rotation(axis: Numbers, angle: number, centre: Numbers = [0, 0, 0]): Float64Array {
  const half = angle / 2, s = Math.sin(half);
  return about([axis[0] * s, axis[1] * s, axis[2] * s, Math.cos(half)], centre);
}

/** A quaternion of unit length as an affine map that keeps `centre`. */
export function about(q: Numbers, centre: Numbers = [0, 0, 0]): Float64Array {
  const [x, y, z, w] = q as number[];
  const out = Float64Array.of(
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 0,
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 0,
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), 0,
  );
  const moved = transform(out, centre);
  for (let r = 0; r < 3; ++r) out[4 * r + 3] = centre[r] - moved[r];
  return out;
}

export function product(a: Numbers, b: Numbers): number[] {
  return [
    a[3] * b[0] + b[3] * a[0] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] + b[3] * a[1] + a[2] * b[0] - a[0] * b[2],
    a[3] * b[2] + b[3] * a[2] + a[0] * b[1] - a[1] * b[0],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}
export const conjugate = (q: Numbers): number[] => [-q[0], -q[1], -q[2], q[3]];

/** The top eigenvector of the quadratic form of [horn1987], by Jacobi's method: the rotation nearest to any matrix. */
function hornRotation(m: Numbers): number[] {
  const [a, b, c, , d, e, f, , g, h, i] = m as number[];
  const k = [[a + e + i, h - f, c - g, d - b], [h - f, a - e - i, b + d, c + g], [c - g, b + d, e - a - i, f + h], [d - b, c + g, f + h, i - a - e]];
  const v = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
  for (let sweep = 0; sweep < 30; ++sweep) {
    let off = 0;
    for (let p = 0; p < 3; ++p)
      for (let q = p + 1; q < 4; ++q) {
        if (k[p][q] === 0) continue;
        off += k[p][q] * k[p][q];
        const theta = (k[q][q] - k[p][p]) / (2 * k[p][q]), t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1)), cosine = 1 / Math.hypot(t, 1), sine = t * cosine;
        for (let r = 0; r < 4; ++r) [k[r][p], k[r][q]] = [cosine * k[r][p] - sine * k[r][q], sine * k[r][p] + cosine * k[r][q]];
        for (let r = 0; r < 4; ++r) [k[p][r], k[q][r]] = [cosine * k[p][r] - sine * k[q][r], sine * k[p][r] + cosine * k[q][r]];
        for (let r = 0; r < 4; ++r) [v[r][p], v[r][q]] = [cosine * v[r][p] - sine * v[r][q], sine * v[r][p] + cosine * v[r][q]];
      }
    if (off < 1e-40) break;
  }
  let best = 0;
  for (let p = 1; p < 4; ++p) if (k[p][p] > k[best][best]) best = p;
  return [v[1][best], v[2][best], v[3][best], v[0][best]];
}

function quaternionOf(m: Numbers): number[] {
  const [a, b, c, , d, e, f, , g, h, i] = m as number[], trace = a + e + i;
  let q: number[];
  if (trace > 0) q = [h - f, c - g, d - b, 1 + trace];
  else if (a > e && a > i) q = [1 + a - e - i, b + d, c + g, h - f];
  else if (e > i) q = [b + d, 1 + e - a - i, f + h, c - g];
  else q = [c + g, f + h, 1 + i - a - e, d - b];
  const length = Math.hypot(q[0], q[1], q[2], q[3]);
  return q.map((x) => x / length);
}

/** The rotation of a map's polar decomposition, never a reflection. */
export function polarRotation(m: Numbers): number[] {
  let d = determinant(m);
  let size = 0;
  for (let k = 0; k < 12; ++k) if (k % 4 < 3) size = Math.max(size, Math.abs(m[k]));
  if (!(d > 1e-6 * size * size * size) || !Number.isFinite(d)) return Number.isFinite(d) && size > 0 ? hornRotation(m) : [0, 0, 0, 1];
  const r = Array.from(m as number[]), back: number[] = new Array(12);
  for (let step = 0; step < 40; ++step) {
    invert(back, r);
    let change = 0;
    for (let i = 0; i < 3; ++i)
      for (let j = 0; j < 3; ++j) {
        const next = (r[4 * i + j] + back[4 * j + i]) / 2;
        change = Math.max(change, Math.abs(next - r[4 * i + j]));
        r[4 * i + j] = next;
      }
    if (change < 1e-15 || (step > 1 && change < 1e-13)) break;
    d = determinant(r);
    if (!(d > 0)) return hornRotation(m);
  }
  return quaternionOf(r);
}

/** The part of a rotation about an axis of unit length: its angle in [-pi, pi], and what is left before it. */
export function swingTwist(q: Numbers, axis: Numbers): { swing: number[]; angle: number } {
  const along = dot(q, axis), length = Math.hypot(q[3], along);
  if (length < 1e-12) return { swing: upper(q), angle: 0 };
  const sign = q[3] < 0 ? -1 : 1;
  const twist = [...scaled(axis, (sign * along) / length), (sign * q[3]) / length];
  return { swing: upper(product(q, conjugate(twist))), angle: 2 * Math.atan2((sign * along) / length, Math.abs(q[3]) / length) };
}

const upper = (q: Numbers): number[] => (q[3] < 0 ? [-q[0], -q[1], -q[2], -q[3]] : [q[0], q[1], q[2], q[3]]);

/** The smallest rotation from one direction to another. */
export function shortestArc(from: Numbers, to: Numbers): number[] {
  const a = scaled(from, 1 / norm(from)), b = scaled(to, 1 / norm(to)), c = dot(a, b);
  if (c < -1 + 1e-12) {
    const axis = Math.abs(a[0]) < 0.8 ? cross(a, [1, 0, 0]) : cross(a, [0, 1, 0]), length = norm(axis);
    return [axis[0] / length, axis[1] / length, axis[2] / length, 0];
  }
  const axis = cross(a, b), s = Math.sqrt(2 * (1 + c));
  return [axis[0] / s, axis[1] / s, axis[2] / s, s / 2];
}
