// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { imageBytes, readGltf } from '../../src/gltfFile';

const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

function glb(json: unknown, binary: number[]): Uint8Array {
  const document = text(json);
  const out = new Uint8Array(28 + document.length + binary.length);
  const view = new DataView(out.buffer);
  const words = [0x46546c67, 2, out.length, document.length, 0x4e4f534a];
  words.forEach((word, k) => view.setUint32(4 * k, word, true));
  out.set(document, 20);
  view.setUint32(20 + document.length, binary.length, true);
  view.setUint32(24 + document.length, 0x004e4942, true);
  out.set(binary, 28 + document.length);
  return out;
}

test('a picture is found in the chunk of a .glb, in a buffer and in an address', () => {
  const views = { bufferViews: [{ buffer: 0, byteOffset: 2, byteLength: 3 }], images: [{ bufferView: 0 }] };
  const inChunk = readGltf(glb({ ...views, buffers: [{ byteLength: 6 }] }, [1, 2, 3, 4, 5, 6]))!;
  expect([...imageBytes(inChunk, 0)!]).toEqual([3, 4, 5]);
  const uri = `data:application/octet-stream;base64,${btoa(String.fromCharCode(9, 8, 7, 6, 5))}`;
  const inBuffer = readGltf(text({ ...views, buffers: [{ uri }] }))!;
  expect([...imageBytes(inBuffer, 0)!]).toEqual([7, 6, 5]);
  expect([...imageBytes(readGltf(text({ images: [{ uri }] }))!, 0)!]).toEqual([9, 8, 7, 6, 5]);
});

test('what is no glTF is none, and what is missing in one is null', () => {
  expect(readGltf(new TextEncoder().encode('v 0 0 0'))).toBeNull();
  expect(readGltf(new Uint8Array([0x67, 0x6c, 0x54, 0x46]))).toBeNull();
  expect(readGltf(glb({}, []).subarray(0, 21))).toBeNull();
  expect(imageBytes({ json: {}, binary: null }, 0)).toBeNull();
  expect(imageBytes({ json: { images: [{ uri: 'skin.png' }] }, binary: null }, 0)).toBeNull();
  const beyond = { images: [{ bufferView: 0 }], bufferViews: [{ buffer: 0, byteLength: 9 }], buffers: [{}] };
  expect(imageBytes({ json: beyond, binary: new Uint8Array(4) }, 0)).toBeNull();
});
