// SPDX-License-Identifier: Apache-2.0
// What the file says of colours, as the graphics card takes it.
import {
  ClampToEdgeWrapping,
  DataTexture,
  LinearFilter,
  LinearMipmapLinearFilter,
  RepeatWrapping,
  RGBAFormat,
  SRGBColorSpace,
  Texture,
  type Vector3Tuple,
} from 'three';
import type { Looks, Opened } from '../protocol';

export interface LooksView {
  /** Those of the mesh, by material. */
  triangles: Uint32Array;
  groups: { start: number; count: number; material: number }[];
  texcoords: Float32Array;
  colours: Float32Array;
  pictures: Texture[];
  factors: Vector3Tuple[];
}

/** Triangles put in order by material, one group each. */
export function groupByMaterial(
  triangles: Uint32Array,
  ofTriangle: Uint32Array,
  materials: number,
): LooksView['groups'] & { order: Uint32Array } {
  const counts = new Array<number>(materials + 1).fill(0);
  ofTriangle.forEach((m) => (counts[m + 1] += 1));
  for (let m = 0; m < materials; ++m) counts[m + 1] += counts[m];
  const groups = Array.from({ length: materials }, (_, m) => ({
    start: 3 * counts[m],
    count: 3 * (counts[m + 1] - counts[m]),
    material: m,
  }));
  const order = new Uint32Array(triangles.length);
  const next = counts.slice();
  ofTriangle.forEach((m, t) => {
    order.set(triangles.subarray(3 * t, 3 * t + 3), 3 * next[m]);
    next[m] += 1;
  });
  return Object.assign(
    groups.filter((g) => g.count > 0),
    { order },
  );
}

async function pictureOf(material: Looks['materials'][number], loaded: Map<Uint8Array, ImageBitmap>): Promise<Texture> {
  const bytes = material.image;
  if (!bytes) return white();
  let image = loaded.get(bytes);
  if (!image) {
    const blob = new Blob([bytes as Uint8Array<ArrayBuffer>]);
    image = await createImageBitmap(blob, { premultiplyAlpha: 'none', colorSpaceConversion: 'none' });
    loaded.set(bytes, image);
  }
  const texture = new Texture(image);
  texture.flipY = false;
  texture.colorSpace = SRGBColorSpace;
  texture.wrapS = material.repeatU ? RepeatWrapping : ClampToEdgeWrapping;
  texture.wrapT = material.repeatV ? RepeatWrapping : ClampToEdgeWrapping;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.magFilter = LinearFilter;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}

function white(): Texture {
  const texture = new DataTexture(new Uint8Array([255, 255, 255, 255]), 1, 1, RGBAFormat);
  texture.needsUpdate = true;
  return texture;
}

/** Null where the file has no colours. A picture that cannot be read is white. */
export async function looksOf(opened: Opened): Promise<LooksView | null> {
  const { looks, triangles, rest } = opened;
  if (!looks) return null;
  const vertices = rest.length / 3;
  const grouped = groupByMaterial(triangles, looks.ofTriangle, looks.materials.length);
  const loaded = new Map<Uint8Array, ImageBitmap>();
  const pictures = await Promise.all(looks.materials.map((m) => pictureOf(m, loaded).catch(white)));
  return {
    triangles: grouped.order,
    groups: [...grouped],
    texcoords: looks.texcoords ?? new Float32Array(2 * vertices),
    colours: looks.colours ?? new Float32Array(3 * vertices).fill(1),
    pictures,
    factors: looks.materials.map((m) => m.colour),
  };
}
