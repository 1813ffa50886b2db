// SPDX-License-Identifier: Apache-2.0

/** A number as people type it: "45", "-1,5", "30°", "0.5 rad" (to degrees), "150 %". null where it is none. */
export function parseNumber(text: string): number | null {
  const match = /^\s*([+\-−]?)\s*(\d+(?:[.,]\d*)?|[.,]\d+)(e[+-]?\d+)?\s*(°|deg|rad|%)?\s*$/i.exec(text);
  if (!match) return null;
  const size = Number(match[2].replace(',', '.') + (match[3] ?? ''));
  if (!Number.isFinite(size)) return null;
  const value = match[1] === '-' || match[1] === '−' ? -size : size;
  const unit = (match[4] ?? '').toLowerCase();
  if (unit === 'rad') return (value * 180) / Math.PI;
  return unit === '%' ? value / 100 : value;
}

/** At most `digits` behind the point, no trailing zeros, no "-0". */
export function formatNumber(value: number, digits = 1): string {
  if (!Number.isFinite(value)) return '–';
  const text = value
    .toFixed(digits)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
  return text === '-0' ? '0' : text;
}

/** 43210 as "43 210". */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
