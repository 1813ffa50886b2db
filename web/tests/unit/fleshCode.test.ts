// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { decodeFields, type CodedField } from '../../runtime/src/fleshCode';

// As in tests/io/flesh_code_test.cpp.
const STORED =
  '720000003e01000028000000f80000001e0000000168cc090aa4d290ad483c84f22787ab300d2c0feae0b746fe5aa600' +
  '8162ccd5ccc701b6b333ef2c25aa7918af87b4bf293a7f3b1805202b5946edce830afad9313ce072d1c920a5d31d51e2' +
  '9035fa2b2c23afd4e915cd573203f8c98ee3cc22d8655d4f9ecaf002d82488ce4b49fbffb69509a56741ffffffdfc51f' +
  'f651f7f99b613c77d806124a64583ce9ce6db6196c0281eb3ebebf69b29ab573d76cef2f781b98c4c270e21c04342331' +
  '54e400a45d1c4ed2ea0770ad597f17f43b4319abd89425a7d82537145eaffc3d39ea025fc28b3bb88ac9f3dc280cdc53' +
  '1a2f3ced9b54a5d2a8d88036a90d2e919e5faec0200d7cfd9fe8ac3506d39cffa33ffe93b25d77aef2070fd351f45352' +
  '747e8dce33e1a1f2fd11d4f88da197f0354890cf31962e9023c590ffc47d83ec20b8143cf9791b10bd3c8ccbd8dac95e' +
  '181ce6cb3f3bc2d0ffd8e24245c157b62c5929cddc34350344bd444a079f500000000000000000000000000000000000' +
  '000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
  '000000000000000000000000000000000000000009a2dd4d90f8882cd321dbf307a4fdc65f98720414821524196e6867' +
  '53f52368e7c8d09ccf22b305744042130cde7b55a3a01e85fe899500005ced5a2dfb648564aa0add509b15dd912a4121' +
  'e04dbffbebdd41c6622166941179412f1a276d2f608bae5252205f14195e8ef18ad987442cf2559606de8ca1c9800002' +
  '7187bffac39fc6e3a16ca3dfe453e09dc0faeaffe1b20fd6d442e5fd10ff98c668e537a76d3c11408b6f375230811b42' +
  'a7e5b8dcd0661848f727db62000000000000000000000000000000000000000000000000000000000000000000000000' +
  '00000000000000000000000000000000000000000000000000000000';
const bytes = Uint8Array.from({ length: STORED.length / 2 }, (_, k) => parseInt(STORED.slice(2 * k, 2 * k + 2), 16));
const VERTICES = 50;
const decode = (some: Uint8Array, most = 1e9): CodedField[] | null => decodeFields(some, VERTICES, [4, 4], most);

test('coded fields are those that the library reads', () => {
  const fields = decode(bytes) ?? [];
  let hash = 0;
  for (const field of fields)
    for (const list of [field.values, field.vertices, field.shares])
      for (const number of list) hash = (Math.imul(hash, 31) + number) | 0;
  expect(hash).toBe(1504902383);
});

test('damaged bytes give nothing, or fields that fit the mesh', () => {
  expect(decode(bytes.subarray(0, 5))).toBeNull();
  expect(decode(bytes.subarray(0, bytes.length - 1))).toBeNull();
  expect(decode(bytes, 100)).toBeNull();
  for (let k = 0; k < 700; ++k) {
    const damaged = bytes.slice();
    damaged[k] ^= 1 + (k % 255);
    for (const field of decode(damaged) ?? []) {
      expect(field.values.length).toBe(3 * 4 * field.vertices.length);
      expect(field.vertices.every((v) => v < VERTICES)).toBe(true);
    }
  }
});
