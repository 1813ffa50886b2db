// SPDX-License-Identifier: Apache-2.0
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vite';

const root = new URL('.', import.meta.url).pathname;
const page = process.env.SINEW_PAGE ?? resolve(root, '../build/release/page');
const wasm = process.env.SINEW_WASM ?? resolve(root, '../build/wasm');

// The module is imported as it was built, beside its .wasm, so that its own threads find their script.
function copyWasm() {
  return {
    name: 'sinew-wasm',
    apply: 'build',
    closeBundle() {
      if (!existsSync(resolve(wasm, 'sinew.wasm'))) {
        console.warn(`no WebAssembly build in ${wasm}: ./dev page makes it`);
        return;
      }
      mkdirSync(resolve(page, 'wasm'), { recursive: true });
      for (const name of readdirSync(wasm).filter((n) => /^sinew.*\.(js|wasm)$/.test(n))) {
        copyFileSync(resolve(wasm, name), resolve(page, 'wasm', name));
      }
    },
  };
}

/** Shaders as text, without comments. */
const shaders = {
  name: 'sinew-shaders',
  transform(code, id) {
    if (!id.endsWith('.glsl')) return null;
    const lines = code.split('\n').map((line) => line.trim());
    const text = lines.filter((line) => line && !line.startsWith('//')).join('\n');
    return { code: `export default ${JSON.stringify(text)};`, map: null };
  },
};

export default defineConfig({
  root,
  base: './',
  publicDir: 'public',
  build: {
    outDir: page,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // the page's policy lets in no data: but pictures
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
  worker: { format: 'es' },
  plugins: [copyWasm(), shaders],
  test: { include: ['tests/unit/**/*.test.ts'], environment: 'node' },
});
