// SPDX-License-Identifier: Apache-2.0
// The heat colours of every picture of sinew (src/render/colour_map.cpp): lightness is a straight line in OKLab, so
// that equal steps look equal and the colour-blind can read it.
import { clamp } from '../numbers';

export type Rgb = [number, number, number];

/** Hue (degrees) and chroma at even steps. */
const CONTROLS: [number, number][] = [
  [292, 0.15],
  [270, 0.135],
  [232, 0.1],
  [186, 0.105],
  [148, 0.14],
  [118, 0.165],
  [103, 0.18],
];
const DARK = 0.36;
const LIGHT = 0.92;
/** Where a joint has no part. */
export const NO_VALUE: Rgb = [158, 158, 158];

function toSrgb(linear: number): number {
  const c = clamp(linear, 0, 1);
  return Math.round(255 * (c <= 0.0031308 ? c * 12.92 : 1.055 * c ** (1 / 2.4) - 0.055));
}

function fromOklab(lightness: number, a: number, b: number): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    toSrgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    toSrgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    toSrgb(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** 8-bit sRGB of a value from 0 to 1; grey where it is not a number. */
export function heatColour(value: number): Rgb {
  if (Number.isNaN(value)) return NO_VALUE;
  const t = clamp(value, 0, 1);
  const last = CONTROLS.length - 1;
  const k = Math.min(Math.trunc(t * last), last - 1);
  const f = t * last - k;
  const at = (i: number): [number, number] => {
    const [hue, chroma] = CONTROLS[clamp(i, 0, last)];
    const angle = (hue * Math.PI) / 180;
    return [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  };
  const [p0, p1, p2, p3] = [at(k - 1), at(k), at(k + 1), at(k + 2)];
  const spline = (c: 0 | 1): number =>
    0.5 *
    (2 * p1[c] +
      f * (p2[c] - p0[c]) +
      f * f * (2 * p0[c] - 5 * p1[c] + 4 * p2[c] - p3[c]) +
      f * f * f * (3 * p1[c] - p0[c] - 3 * p2[c] + p3[c]));
  return fromOklab(DARK + (LIGHT - DARK) * t, spline(0), spline(1));
}

/** 256 colours, RGBA, for a texture or a legend. */
export function heatTable(): Uint8Array<ArrayBuffer> {
  const table = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; ++i) table.set([...heatColour(i / 255), 255], 4 * i);
  return table;
}
