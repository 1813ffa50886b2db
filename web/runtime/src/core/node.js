// SPDX-License-Identifier: Apache-2.0
// The modules that emscripten writes still ask for require and __dirname in Node.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));

export default async function createSinew(options = {}) {
  globalThis.require ??= createRequire(import.meta.url);
  globalThis.__dirname ??= folder;
  const name = (options.threads ?? 1) > 1 ? 'sinew-threads' : 'sinew';
  const { default: create } = await import(`./${name}.js`);
  return create({ wasmBinary: readFileSync(join(folder, `${name}.wasm`)), locateFile: (file) => join(folder, file.replace('.worker.js', '.worker.cjs')), ...options });
}
