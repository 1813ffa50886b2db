// SPDX-License-Identifier: Apache-2.0
// A bare mesh with a texture, as people bring it: no skeleton, one material, red below and blue above.
import { readFileSync, writeFileSync } from 'node:fs';
import { palettePng } from '../palette_png.mjs';

const JSON_CHUNK = 0x4e4f534a,
  BINARY_CHUNK = 0x004e4942;

export function readGlb(path) {
  const bytes = readFileSync(path);
  const json = JSON.parse(bytes.toString('utf8', 20, 20 + bytes.readUInt32LE(12)));
  const at = 20 + bytes.readUInt32LE(12);
  return { json, binary: bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at)) };
}

function padded(bytes, fill) {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4, fill)]);
}

function writeGlb(path, json, binary) {
  const text = padded(Buffer.from(JSON.stringify(json)), 0x20);
  const data = padded(binary, 0);
  const head = Buffer.alloc(20),
    middle = Buffer.alloc(8);
  head.write('glTF', 0, 'latin1');
  [2, 28 + text.length + data.length, text.length, JSON_CHUNK].forEach((v, k) => head.writeUInt32LE(v, 4 + 4 * k));
  [data.length, BINARY_CHUNK].forEach((v, k) => middle.writeUInt32LE(v, 4 * k));
  writeFileSync(path, Buffer.concat([head, text, middle, data]));
}

/** Gives the mesh of a .glb a material with a picture over its height. */
export function paintTexture(path, material = { pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }) {
  const { json, binary } = readGlb(path);
  const parts = [Buffer.from(binary)];
  let length = binary.length;
  const add = (bytes, target) => {
    const place = padded(bytes, 0);
    json.bufferViews.push({ buffer: 0, byteOffset: length, byteLength: bytes.length, ...(target ? { target } : {}) });
    parts.push(place);
    length += place.length;
    return json.bufferViews.length - 1;
  };
  parts[0] = padded(parts[0], 0);
  length = parts[0].length;
  const pixels = new Uint8Array(4 * 64);
  for (let i = 0; i < 64; ++i) pixels.set(i < 32 ? [30, 60, 230, 255] : [220, 30, 30, 255], 4 * i);
  json.images = [{ bufferView: add(palettePng(8, 8, pixels)), mimeType: 'image/png' }];
  json.textures = [{ source: 0 }];
  json.materials = [material];
  if (JSON.stringify(material).includes('KHR_texture_transform')) json.extensionsUsed = ['KHR_texture_transform'];
  const boxes = json.meshes.flatMap((m) => m.primitives).map((p) => json.accessors[p.attributes.POSITION]);
  const low = Math.min(...boxes.map((a) => a.min[1])),
    high = Math.max(...boxes.map((a) => a.max[1]));
  for (const primitive of json.meshes.flatMap((m) => m.primitives)) {
    const accessor = json.accessors[primitive.attributes.POSITION];
    const view = json.bufferViews[accessor.bufferView];
    const stride = view.byteStride ?? 12;
    const texcoords = Buffer.alloc(8 * accessor.count);
    for (let i = 0; i < accessor.count; ++i) {
      const y = binary.readFloatLE((view.byteOffset ?? 0) + (accessor.byteOffset ?? 0) + stride * i + 4);
      texcoords.writeFloatLE(0.5, 8 * i);
      texcoords.writeFloatLE(1 - (y - low) / (high - low), 8 * i + 4);
    }
    json.accessors.push({
      bufferView: add(texcoords, 34962),
      componentType: 5126,
      count: accessor.count,
      type: 'VEC2',
    });
    primitive.attributes.TEXCOORD_0 = json.accessors.length - 1;
    primitive.material = 0;
  }
  json.buffers[0].byteLength = length;
  writeGlb(path, json, Buffer.concat(parts));
}
