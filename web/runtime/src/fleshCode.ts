// SPDX-License-Identifier: Apache-2.0
// Coded fields of SINEW_rig.flesh, as docs/rig_file.md says: vertices, shares of the twist and values.
// Null where bytes are damaged.

/** Adaptive binary range coder. */
class Decoder {
  private at = 0;
  private range = 0xffffffff;
  private code = 0;

  constructor(private readonly bytes: Uint8Array) {
    for (let k = 0; k < 4; ++k) this.code = ((this.code << 8) | this.next()) >>> 0;
  }

  /** chances[at]: of a 0, in 4096ths. */
  bit(chances: Uint16Array, at: number): number {
    const chance = chances[at], bound = (this.range >>> 12) * chance;
    let one = 0;
    if (this.code >= bound) {
      one = 1;
      this.code -= bound;
      this.range -= bound;
      chances[at] = chance - (chance >> 5);
    } else {
      this.range = bound;
      chances[at] = chance + ((4096 - chance) >> 5);
    }
    this.normalise();
    return one;
  }

  plain(count: number): number {
    let value = 0;
    while (count-- > 0) {
      this.range >>>= 1;
      value <<= 1;
      if (this.code >= this.range) {
        this.code -= this.range;
        value |= 1;
      }
      this.normalise();
    }
    return value >>> 0;
  }

  /** A number below 2^25, the count of its bits by 24 chances. */
  number(chances: Uint16Array, first: number): number {
    let bits = 0;
    while (bits < 24 && this.bit(chances, first + bits)) ++bits;
    return (1 << bits) - 1 + this.plain(bits);
  }

  get overrun(): boolean {
    return this.at > this.bytes.length;
  }

  private next(): number {
    return this.at < this.bytes.length ? this.bytes[this.at++] : (++this.at, 0);
  }

  private normalise(): void {
    while (this.range < 0x1000000) {
      this.range = (this.range << 8) >>> 0;
      this.code = ((this.code << 8) | this.next()) >>> 0;
    }
  }
}

const chances = (count: number): Uint16Array => new Uint16Array(count).fill(2048);
const signed = (value: number): number => (value >>> 1) ^ -(value & 1);

interface Plan {
  /** Vertices in the order in which they are coded. */
  order: Uint32Array;
  /** Per place four earlier places and weights in 256ths, and how many there are. */
  counts: Uint8Array;
  places: Uint32Array;
  weights: Int32Array;
}

function readPlan(coder: Decoder, vertices: number): Plan | null {
  const levels = new Uint8Array(vertices), ends = new Uint32Array(17), trees = [chances(16), chances(16)];
  for (let v = 0, before = 0; v < vertices; ++v) {
    let node = 1;
    for (let k = 0; k < 4; ++k) node = 2 * node + coder.bit(trees[before > 0 ? 1 : 0], node);
    before = levels[v] = node - 16;
    if (before > 0) ++ends[before + 1];
    if (coder.overrun) return null;
  }
  for (let l = 1; l < 17; ++l) ends[l] += ends[l - 1];
  const size = ends[16], order = new Uint32Array(size);
  for (let v = 0; v < vertices; ++v) if (levels[v] > 0) order[ends[levels[v]]++] = v;
  const counts = new Uint8Array(size), places = new Uint32Array(4 * size), weights = new Int32Array(4 * size);
  const tree = chances(8), backs = chances(4 * 24), sizes = chances(8 * 24);
  for (let at = 0; at < size; ++at) {
    let node = 1, left = 256;
    for (let k = 0; k < 3; ++k) node = 2 * node + coder.bit(tree, node);
    const count = (counts[at] = node - 8);
    if (count > 4 || coder.overrun) return null;
    for (let k = 0; k < count; ++k) {
      const back = 1 + coder.number(backs, 24 * k), last = k + 1 === count;
      if (back > at) return null;
      const weight = (last ? left : 0) + signed(coder.number(sizes, 24 * (2 * k + (last ? 1 : 0))));
      if (Math.abs(weight) > 4095) return null;
      places[4 * at + k] = at - back;
      weights[4 * at + k] = weight;
      left -= weight;
    }
  }
  return coder.overrun ? null : { order, counts, places, weights };
}

const CLASSES = 60, PLACES = 12;
const bitWidth = (value: number): number => 32 - Math.clz32(value);

/** What is left of numbers, by how large it was lately (`means`) and just before. */
class Residuals {
  private readonly upper = chances(CLASSES * 3 * PLACES);
  private readonly rest = chances(24);
  private before = 0;

  next(coder: Decoder, means: Uint32Array, at: number): number {
    const mean = means[at], bits = bitWidth(mean), lower = Math.max(0, bits - 12);
    const sizeClass = Math.min(2 * bits + (bits > 1 ? (mean >>> (bits - 2)) & 1 : 0), CLASSES - 1), first = (3 * sizeClass + this.before) * PLACES;
    let upper = 0;
    while (upper < PLACES && coder.bit(this.upper, first + upper)) ++upper;
    if (upper === PLACES) upper += coder.number(this.rest, 0);
    this.before = Math.min(upper, 2);
    const value = ((upper << lower) | coder.plain(lower)) >>> 0;
    means[at] = mean + Math.min(value, 1 << 18) * 32 - (mean >>> 5);
    return signed(value);
  }
}

export interface CodedField {
  vertices: Uint32Array;
  /** 65535 is all of the twist. */
  shares: Uint32Array;
  values: Int8Array;
}

interface Channel {
  mode: number;
  fine: number;
  ratio: number;
}

function readChannels(coder: Decoder, modes: number): { channels: Channel[]; unit: number } | null {
  const any = chances(1), unit = coder.bit(chances(1), 0) ? 1 : 257, numbers = chances(24), channelOf = new Map<number, Channel>(), channels: Channel[] = [];
  for (let m = 0; m < modes; ++m) {
    if (!coder.bit(any, 0)) {
      const channel = { mode: m, fine: 0, ratio: 0 };
      channelOf.set(m, channel);
      channels.push(channel);
      continue;
    }
    const channel = channelOf.get(coder.number(numbers, 0)), ratio = coder.plain(8);
    if (!channel || ratio < 2 || channel.ratio > 0 || coder.overrun) return null;
    channel.fine = m;
    channel.ratio = ratio;
  }
  return { channels, unit };
}

function readField(bytes: Uint8Array, plan: Plan, vertices: number, rows: number, modes: number): CodedField | null {
  const coder = new Decoder(bytes), head = readChannels(coder, modes);
  if (!head) return null;
  const { channels, unit } = head, { order, counts, places, weights } = plan, size = order.length, width = 3 * channels.length;
  const rowAt = new Int32Array(size).fill(-1), rowOf = new Int32Array(vertices).fill(-1), known = chances(25);
  let listed = 0;
  for (let at = 0; at < size; ++at) {
    let count = 0;
    for (let k = 0; k < counts[at]; ++k) if (rowAt[places[4 * at + k]] >= 0) ++count;
    if (!coder.bit(known, 5 * counts[at] + count)) continue;
    rowAt[at] = rowOf[order[at]] = 0;
    ++listed;
  }
  if (listed !== rows) return null;
  const field = { vertices: new Uint32Array(rows), shares: new Uint32Array(rows), values: new Int8Array(3 * modes * rows) };
  for (let v = 0, row = 0; v < vertices; ++v)
    if (rowOf[v] >= 0) {
      field.vertices[row] = v;
      rowOf[v] = row++;
    }
  for (let at = 0; at < size; ++at) if (rowAt[at] >= 0) rowAt[at] = rowOf[order[at]];
  const numbers = new Int16Array(rows * width), told = new Int32Array(width), residuals = new Residuals(), turns = new Residuals();
  const means = new Uint32Array(channels.length).fill(4096), turnMean = new Uint32Array(1).fill(4096), twists = new Int32Array(rows), mostTwist = Math.floor(65535 / unit);
  for (let at = 0; at < size; ++at) {
    const row = rowAt[at];
    if (row < 0) continue;
    told.fill(128);
    let sum = 128, first = -1, all = true;
    for (let k = 4 * at; k < 4 * at + counts[at]; ++k) {
      const from = rowAt[places[k]], weight = weights[k];
      if (from < 0) {
        all = false;
        continue;
      }
      if (first < 0) first = twists[from];
      sum += weight * twists[from];
      for (let c = 0, n = from * width; c < width; ++c, ++n) told[c] += weight * numbers[n];
    }
    const expected = first < 0 ? 0 : all ? Math.min(Math.max(Math.floor(sum / 256), 0), 65535) : first;
    const twist = expected + turns.next(coder, turnMean, 0);
    if (twist < 0 || twist > mostTwist) return null;
    twists[row] = twist;
    field.shares[row] = twist * unit;
    for (let c = 0, n = row * width, v = 3 * modes * row; c < width; c += 3) {
      const index = c / 3, { mode, fine, ratio } = channels[index], most = ratio > 0 ? 32767 : 127;
      for (let k = 0; k < 3; ++k, ++n) {
        const number = (told[c + k] >> 8) + residuals.next(coder, means, index);
        if (number > most || number < -most - 1) return null;
        numbers[n] = number;
        if (ratio === 0) {
          field.values[v + 3 * mode + k] = number;
          continue;
        }
        const coarse = Math.floor((2 * number + ratio) / (2 * ratio));
        if (coarse < -128 || coarse > 127) return null;
        field.values[v + 3 * mode + k] = coarse;
        field.values[v + 3 * fine + k] = number - ratio * coarse;
      }
    }
    if (coder.overrun) return null;
  }
  return field;
}

/** modes: of each field. The bytes may hold at most `most` values. */
export function decodeFields(bytes: Uint8Array, vertices: number, modes: number[], most: number): CodedField[] | null {
  const table = 4 + 8 * modes.length;
  if (bytes.length < table) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), rows = modes.map((_, f) => view.getUint32(8 * f + 8, true));
  const ends = [table + view.getUint32(0, true)];
  for (let f = 0; f < modes.length; ++f) ends.push(ends[f] + view.getUint32(8 * f + 4, true));
  if (ends[modes.length] !== bytes.length || rows.some((count) => count > vertices)) return null;
  if (modes.reduce((sum, count, f) => sum + 9 * count * rows[f] + 8 * vertices, 0) > most) return null;
  const plan = readPlan(new Decoder(bytes.subarray(table, ends[0])), vertices);
  if (!plan) return null;
  const fields: CodedField[] = [];
  for (let f = 0; f < modes.length; ++f) {
    const field = readField(bytes.subarray(ends[f], ends[f + 1]), plan, vertices, rows[f], modes[f]);
    if (!field) return null;
    fields.push(field);
  }
  return fields;
}
