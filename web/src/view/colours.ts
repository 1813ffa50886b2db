// SPDX-License-Identifier: Apache-2.0

function linear(c: number): number {
  const v = c / 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
}

/** 8-bit sRGB to the linear values that three.js wants for vertex colours. */
export function linearOf(rgb: number[]): number[] {
  return rgb.map(linear);
}
