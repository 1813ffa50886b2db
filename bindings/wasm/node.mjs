// SPDX-License-Identifier: Apache-2.0
// Opens a build in Node, for tests and measurements: emscripten 3.1.6 writes ES modules that still ask for require and
// __dirname there. Pages import sinew.js itself.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** where: the folder of sinew.js. threads: more than 1 takes sinew-threads.js. */
export async function load(where, threads = 1) {
  const folder = path.resolve(where); // workers ask for whole paths
  globalThis.require ??= createRequire(import.meta.url);
  globalThis.__dirname ??= folder;
  const name = threads > 1 ? 'sinew-threads' : 'sinew';
  const { default: createSinew } = await import(pathToFileURL(path.join(folder, `${name}.js`)).href);
  return createSinew({
    threads,
    wasmBinary: fs.readFileSync(path.join(folder, `${name}.wasm`)),
    locateFile: (file) => path.join(folder, file.replace('.worker.js', '.worker.cjs')),
  });
}
