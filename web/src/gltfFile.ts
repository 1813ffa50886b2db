// SPDX-License-Identifier: Apache-2.0
// A glTF file as its reader sees it: the document, and bytes of its buffers.

/** What is read here of a document; files may hold anything in its place. */
export interface Gltf {
  asset?: unknown;
  extensionsUsed?: string[];
  materials?: unknown[];
  textures?: { source?: number; sampler?: number; extensions?: Record<string, { source?: number } | undefined> }[];
  samplers?: { wrapS?: number; wrapT?: number; minFilter?: number; magFilter?: number }[];
  images?: { uri?: string; bufferView?: number }[];
  bufferViews?: { buffer: number; byteOffset?: number; byteLength: number }[];
  buffers?: { uri?: string }[];
}

export interface GltfFile {
  json: Gltf;
  /** The chunk of a .glb. */
  binary: Uint8Array | null;
}

const GLB = 0x46546c67,
  JSON_CHUNK = 0x4e4f534a;

/** Null for anything else. */
export function readGltf(bytes: Uint8Array): GltfFile | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (part: Uint8Array): Gltf => JSON.parse(new TextDecoder().decode(part)) as Gltf;
  try {
    if (bytes.length < 20 || view.getUint32(0, true) !== GLB)
      return bytes[0] === 0x7b ? { json: text(bytes), binary: null } : null;
    const length = view.getUint32(12, true);
    if (view.getUint32(16, true) !== JSON_CHUNK || 20 + length > bytes.length) return null;
    const at = 20 + length;
    const binary = at + 8 <= bytes.length ? bytes.subarray(at + 8, at + 8 + view.getUint32(at, true)) : null;
    return { json: text(bytes.subarray(20, at)), binary };
  } catch {
    return null;
  }
}

function dataOf(uri: unknown): Uint8Array | null {
  const found = typeof uri === 'string' ? /^data:[^,]*;base64,/.exec(uri) : null;
  return found ? Uint8Array.from(atob((uri as string).slice(found[0].length)), (c) => c.charCodeAt(0)) : null;
}

/** The picture of a texture as its file holds it; null where it lies in another file, or is not there. */
export function imageBytes({ json, binary }: GltfFile, index: number): Uint8Array | null {
  const image = json.images?.[index];
  if (!image) return null;
  if (image.uri !== undefined) return dataOf(image.uri);
  const view = json.bufferViews?.[image.bufferView ?? -1];
  if (!view) return null;
  const buffer = json.buffers?.[view.buffer];
  const whole = buffer?.uri === undefined ? binary : dataOf(buffer.uri);
  const start = view.byteOffset ?? 0;
  return whole && start + view.byteLength <= whole.length ? whole.subarray(start, start + view.byteLength) : null;
}
