// SPDX-License-Identifier: Apache-2.0
// The snippets of web/shaders: what translate.mjs makes of them is what lies there, and compilers accept each in its three
// languages: glslang (GLSL ES and HLSL, into SPIR-V where it can), and naga and tint (WGSL), those that are installed.
// usage: node shaders.mjs
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { translations } from '../shaders/translate.mjs';

const SHADERS = resolve(dirname(fileURLToPath(import.meta.url)), '../shaders');
const read = (path) => readFileSync(join(SHADERS, path), 'utf8');

/** Files that a snippet needs besides common, and how it is called. */
const CALLS = {
  lbs: [['lbs'], 'sinew_lbs(FIRST, COUNT, rest)'],
  dqs: [['dqs'], 'sinew_dqs(FIRST, COUNT, rest)'],
  joint: [['joint'], 'sinew_joint(FIRST, COUNT, rest)'],
  'stretch-lbs': [['dqs', 'joint', 'stretch'], 'sinew_stretch_lbs(FIRST, COUNT, rest)'],
  'stretch-dqs': [['dqs', 'joint', 'stretch'], 'sinew_stretch_dqs(FIRST, COUNT, rest)'],
  flesh: [['flesh'], 'sinew_flesh(FIRST, UCOUNT, rest)'],
  keys: [['keys'], 'sinew_keys(FIRST, 1000, COUNT, 2, rest)'],
  roll: [['roll'], null],
};

const MAINS = {
  glsl: (call) => `
in vec3 position; in vec3 normal; in uvec2 row; out vec3 shade;
void main() {
  SinewVertex rest; rest.position = position; rest.normal = normal;
  ${call ? `rest = ${call.replace('FIRST', 'int(row.x)').replace('UCOUNT', 'row.y').replace('COUNT', 'int(row.y)')};` : 'rest.position = sinew_roll(vec4(position, 1.0), normal, 0.5, 0.25).xyz;'}
  gl_Position = vec4(rest.position, 1.0); shade = rest.normal;
}
`,
  hlsl: (call) => `
struct Made { float4 position : SV_Position; float3 shade : TEXCOORD0; };
Made main(float3 position : POSITION, float3 normal : NORMAL, uint2 row : TEXCOORD0) {
  SinewVertex rest; rest.position = position; rest.normal = normal;
  ${call ? `rest = ${call.replace('FIRST', 'int(row.x)').replace('UCOUNT', 'row.y').replace('COUNT', 'int(row.y)')};` : 'rest.position = sinew_roll(float4(position, 1.0), normal, 0.5, 0.25).xyz;'}
  Made made; made.position = float4(rest.position, 1.0); made.shade = rest.normal;
  return made;
}
`,
  wgsl: (call) => `
struct Made { @builtin(position) position: vec4f, @location(0) shade: vec3f }
@vertex fn main(@location(0) position: vec3f, @location(1) normal: vec3f, @location(2) row: vec2u) -> Made {
  var rest: SinewVertex; rest.position = position; rest.normal = normal;
  ${call ? `rest = ${call.replace('FIRST', 'i32(row.x)').replace('UCOUNT', 'row.y').replace('COUNT', 'i32(row.y)')};` : 'rest.position = sinew_roll(vec4f(position, 1.0), normal, 0.5, 0.25).xyz;'}
  var made: Made; made.position = vec4f(rest.position, 1.0); made.shade = rest.normal;
  return made;
}
`,
};

const COMPILERS = [
  ['glslangValidator', 'glsl', (file) => ['-S', 'vert', file]],
  ['glslangValidator', 'hlsl', (file, out) => ['-D', '-S', 'vert', '-e', 'main', '-V', '-o', out, file]],
  ['naga', 'wgsl', (file) => [file]],
  ['tint', 'wgsl', (file, out) => ['--format', 'wgsl', '-o', out, file]],
];

const faults = [];
for (const [path, text] of translations()) {
  const there = (() => {
    try {
      return read(path);
    } catch {
      return '';
    }
  })();
  if (there !== text)
    faults.push(`web/shaders/${path} is not what translate.mjs makes: run node web/shaders/translate.mjs`);
}

const folder = mkdtempSync(join(tmpdir(), 'sinew-shaders-'));
let compiled = 0;
const missing = [];
try {
  for (const [compiler, language, words] of COMPILERS) {
    if (spawnSync('sh', ['-c', `command -v ${compiler}`]).status !== 0) {
      missing.push(compiler);
      continue;
    }
    const part = (name) => read(language === 'glsl' ? `${name}.glsl` : join(language, `${name}.${language}`));
    for (const [name, [files, call]] of Object.entries(CALLS)) {
      const prelude = language === 'glsl' ? '#version 300 es\nprecision highp float;\nprecision highp int;\n' : '';
      const text =
        prelude + read(`host/host.${language}`) + ['common', ...files].map(part).join('\n') + MAINS[language](call);
      const file = join(folder, `${name}.${language === 'glsl' ? 'vert' : language}`);
      writeFileSync(file, text);
      try {
        execFileSync(compiler, words(file, `${file}.spv`), { stdio: ['ignore', 'pipe', 'pipe'] });
        ++compiled;
      } catch (error) {
        faults.push(`${compiler} refuses ${name} in ${language}:\n${error.stdout}${error.stderr}`);
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${compiled} compiled${missing.length ? `; not installed: ${missing.join(', ')}` : ''}`);
for (const fault of faults) console.log(fault);
const nothing = !faults.length && missing.includes('glslangValidator');
if (nothing) console.log('skipped: glslang-tools is not installed, ./dev test installs it');
process.exit(faults.length ? 1 : nothing ? 77 : 0);
