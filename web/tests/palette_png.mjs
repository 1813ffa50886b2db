// SPDX-License-Identifier: Apache-2.0
// A picture in 256 colours: small enough for the documents. Colours are found by median cut.
import { deflateSync } from 'node:zlib';

const crc32Table = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; ++k) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});

function chunk(name, data) {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(name, 4, 'latin1');
  data.copy(out, 8);
  let crc = 0xffffffff;
  for (const byte of out.subarray(4, 8 + data.length)) crc = crc32Table[(crc ^ byte) & 255] ^ (crc >>> 8);
  out.writeUInt32BE((crc ^ 0xffffffff) >>> 0, 8 + data.length);
  return out;
}

/** Colours (24 bits) with their counts, cut in two at the median of their widest channel until there are enough boxes. */
function medianCut(counts, wanted) {
  const channel = (colour, k) => (colour >> (16 - 8 * k)) & 255;
  const measure = (box) => {
    const ranges = [0, 1, 2].map((k) => {
      let low = 255,
        high = 0;
      for (const c of box) [low, high] = [Math.min(low, channel(c, k)), Math.max(high, channel(c, k))];
      return high - low;
    });
    const wide = ranges.indexOf(Math.max(...ranges));
    const weight = box.reduce((sum, c) => sum + counts.get(c), 0);
    return { box, wide, score: ranges[wide] * weight ** 0.3 };
  };
  const boxes = [measure([...counts.keys()])];
  while (boxes.length < wanted) {
    boxes.sort((a, b) => b.score - a.score);
    const { box, wide, score } = boxes[0];
    if (score === 0) break;
    box.sort((a, b) => channel(a, wide) - channel(b, wide));
    const half = box.reduce((sum, c) => sum + counts.get(c), 0) / 2;
    let at = 0;
    for (let seen = 0; at < box.length - 1 && seen < half; ++at) seen += counts.get(box[at]);
    boxes.splice(0, 1, measure(box.slice(0, Math.max(1, at))), measure(box.slice(Math.max(1, at))));
  }
  return boxes.map(({ box }) => ({
    box,
    colour: [0, 1, 2].map((k) =>
      Math.round(
        box.reduce((s, c) => s + channel(c, k) * counts.get(c), 0) / box.reduce((s, c) => s + counts.get(c), 0),
      ),
    ),
  }));
}

/** `pixels`: RGBA, rows from the top. */
export function palettePng(width, height, pixels) {
  const key = (i) => (pixels[4 * i] << 16) | (pixels[4 * i + 1] << 8) | pixels[4 * i + 2];
  const counts = new Map();
  for (let i = 0; i < width * height; ++i) counts.set(key(i), (counts.get(key(i)) ?? 0) + 1);
  const palette = medianCut(counts, 256).sort(
    (a, b) => a.colour[0] + a.colour[1] + a.colour[2] - b.colour[0] - b.colour[1] - b.colour[2],
  );
  const index = new Map();
  palette.forEach(({ box }, k) => box.forEach((c) => index.set(c, k)));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x) rows[y * (width + 1) + 1 + x] = index.get(key(y * width + x));
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap(({ colour }) => colour))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
