// SPDX-License-Identifier: Apache-2.0
// The materials of a glTF file by three's own reader of them: metal and roughness, normals, light of their own, occlusion,
// alpha, both sides, unlit, and the transforms of their textures.
import {
  ClampToEdgeWrapping,
  DataTexture,
  LinearFilter,
  LinearMipmapLinearFilter,
  type Material,
  type MeshPhysicalMaterial,
  MeshStandardMaterial,
  MirroredRepeatWrapping,
  NearestFilter,
  RepeatWrapping,
  RGBAFormat,
  Texture,
  type Wrapping,
} from 'three';
import { GLTFLoader, type GLTF } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { type Gltf, type GltfFile, imageBytes } from '../gltfFile';

const WRAPPINGS = new Map<number, Wrapping>([
  [33071, ClampToEdgeWrapping],
  [33648, MirroredRepeatWrapping],
]);
const NEAREST = new Set([9728, 9984, 9986]);

function white(): Texture {
  const texture = new DataTexture(new Uint8Array([255, 255, 255, 255]), 1, 1, RGBAFormat);
  texture.needsUpdate = true;
  return texture;
}

/** A picture that cannot be read is white. */
async function textureOf(file: GltfFile, index: number): Promise<Texture> {
  const { source = -1, sampler: from = -1 } = file.json.textures?.[index] ?? {};
  const bytes = imageBytes(file, source);
  if (!bytes) return white();
  const blob = new Blob([bytes as Uint8Array<ArrayBuffer>]);
  const options: ImageBitmapOptions = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' };
  const image = await createImageBitmap(blob, options).catch(() => null);
  if (!image) return white();
  const sampler = file.json.samplers?.[from] ?? {};
  const texture = new Texture(image);
  texture.flipY = false;
  texture.wrapS = WRAPPINGS.get(sampler.wrapS ?? 0) ?? RepeatWrapping;
  texture.wrapT = WRAPPINGS.get(sampler.wrapT ?? 0) ?? RepeatWrapping;
  texture.minFilter = NEAREST.has(sampler.minFilter ?? 0) ? NearestFilter : LinearMipmapLinearFilter;
  texture.magFilter = NEAREST.has(sampler.magFilter ?? 0) ? NearestFilter : LinearFilter;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}

/** The document without all but materials; pictures of extensions in the place of plain ones. */
function materialsAlone(json: Gltf): Gltf {
  const { asset, materials, samplers, images, textures = [], bufferViews, buffers } = json;
  const sources = textures.map(({ sampler, source, extensions }) => ({
    sampler,
    source: source ?? extensions?.EXT_texture_webp?.source ?? extensions?.EXT_texture_avif?.source,
  }));
  const known = /^KHR_(materials_|texture_transform)/;
  const extensionsUsed = (json.extensionsUsed ?? []).filter((name) => known.test(name));
  return { asset, materials, samplers, images, textures: sources, bufferViews, buffers, extensionsUsed };
}

function parse(file: GltfFile): Promise<GLTF> {
  const pictures = { name: 'pictures', loadTexture: (index: number) => textureOf(file, index) };
  const loader = new GLTFLoader().register(() => pictures);
  // It takes a document as it is, which its types do not say.
  return new Promise((done, failed) => loader.parse(file.json as unknown as string, '', done, failed));
}

/** Those of these numbers; -1 and what is missing: plain white. */
export async function materialsOf(file: GltfFile | null, numbers: number[]): Promise<Material[]> {
  const alone: GltfFile | null = file && { json: materialsAlone(file.json), binary: file.binary };
  const gltf = alone?.json.materials?.length ? await parse(alone) : null;
  return Promise.all(
    numbers.map(async (number) => {
      if (!gltf || number < 0) return new MeshStandardMaterial({ roughness: 0.8 });
      const material = ((await gltf.parser.getDependency('material', number)) as MeshPhysicalMaterial).clone();
      // three's loader turns the green of normal maps where a mesh has no tangents.
      if (material.normalScale) material.normalScale.y *= -1;
      // Seen through, without the picture behind it bent.
      if (material.transmission > 0) {
        Object.assign(material, { transparent: true, opacity: 1 - 0.7 * material.transmission, transmission: 0 });
      }
      material.depthWrite = true; // bodies that are blended as a whole hide what is behind them
      return material;
    }),
  );
}

/** All that a material draws from. */
export function texturesOf(material: Material): Texture[] {
  return Object.values(material).filter((value): value is Texture => value instanceof Texture);
}
