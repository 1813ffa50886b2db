// SPDX-License-Identifier: Apache-2.0
// Makes the npm package: the runtime for three.js, the library in WebAssembly, types and shaders.
// usage: node build.mjs WASM OUT    WASM: the folder of sinew.wasm, or - for a package without it
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const HERE = dirname(fileURLToPath(import.meta.url)), ROOT = resolve(HERE, '../..');
const [wasm, out] = process.argv.slice(2);
const to = (...path) => join(out, ...path);

rmSync(out, { recursive: true, force: true });
mkdirSync(to('core'), { recursive: true });
copyFileSync(join(ROOT, 'bindings/wasm/sinew.d.ts'), join(HERE, 'src/core/sinew.d.ts'));

/** Shaders as text, without comments. */
const shaders = {
  name: 'shaders',
  setup(context) {
    context.onLoad({ filter: /\.glsl$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').split('\n').filter((line) => line.trim() && !line.trimStart().startsWith('//')).map((line) => line.trim()).join('\n'),
      loader: 'text',
    }));
  },
};
await build({ entryPoints: [join(HERE, 'src/three.ts')], outfile: to('three.js'), bundle: true, minify: true, format: 'esm', target: 'es2022', external: ['three', 'three/*'], plugins: [shaders], legalComments: 'none', logLevel: 'warning' });

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', HERE, '--outDir', to('types')], { stdio: 'inherit' });
copyFileSync(join(HERE, 'src/core/sinew.d.ts'), to('core', 'sinew.d.ts'));
mkdirSync(to('types', 'core'), { recursive: true });
copyFileSync(join(HERE, 'src/core/sinew.d.ts'), to('types', 'core', 'sinew.d.ts'));

for (const name of ['browser.js', 'node.js', 'threads.js', 'index.d.ts']) copyFileSync(join(HERE, 'src/core', name), to('core', name));
if (wasm !== '-')
  for (const name of ['sinew.js', 'sinew.wasm', 'sinew-threads.js', 'sinew-threads.wasm', 'sinew-threads.worker.js', 'sinew-threads.worker.cjs']) {
    const from = join(wasm, 'player', name);
    if (!existsSync(from)) throw new Error(`${from} is missing: ./dev page makes it`);
    copyFileSync(from, to('core', name));
  }
cpSync(join(HERE, '../shaders'), to('shaders'), { recursive: true, filter: (path) => !path.endsWith('.mjs') });

const manifest = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'));
manifest.version = /project\(sinew VERSION ([\d.]+)/.exec(readFileSync(join(ROOT, 'CMakeLists.txt'), 'utf8'))[1];
writeFileSync(to('package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(HERE, 'README.md'), to('README.md'));
copyFileSync(join(ROOT, 'LICENSE'), to('LICENSE'));
