// SPDX-License-Identifier: Apache-2.0
// HLSL and WGSL of the snippets, which are GLSL without matrices, out parameters, ternaries and assignments to swizzles or
// parameters: what is left differs by the names of types and functions, and in WGSL by the order of declarations.
// usage: node translate.mjs            writes hlsl/*.hlsl and wgsl/*.wgsl
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const TYPE = 'float|int|uint|bool|vec2|vec3|vec4|uvec4|Sinew\\w+';

const HLSL = { vec2: 'float2', vec3: 'float3', vec4: 'float4', uvec4: 'uint4', inversesqrt: 'rsqrt', uintBitsToFloat: 'asfloat', atan: 'atan2', unpackHalf2x16: 'sinew_halves' };
const WGSL = { float: 'f32', int: 'i32', uint: 'u32', vec2: 'vec2f', vec3: 'vec3f', vec4: 'vec4f', uvec4: 'vec4u', inversesqrt: 'inverseSqrt', uintBitsToFloat: 'bitcast<f32>', atan: 'atan2', unpackHalf2x16: 'unpack2x16float' };

/** Every line's code through `change`; comments stay. */
function eachLine(source, change) {
  return source.split('\n').map((line) => (line.trimStart().startsWith('//') ? line : change(line))).join('\n');
}

const renamed = (names) => (line) => line.replace(/\b[A-Za-z]\w*\b/g, (word) => names[word] ?? word);

export function toHlsl(source) {
  const rename = renamed(HLSL);
  return eachLine(source, (line) => rename(line).replace(/^const /, 'static const '));
}

export function toWgsl(source) {
  const rename = renamed(WGSL);
  let inStruct = false;
  return eachLine(source, (line) => {
    const head = line.match(new RegExp(`^(${TYPE}) (\\w+)\\((.*)\\) \\{$`));
    if (head) {
      const parameters = head[3].split(', ').filter(Boolean).map((p) => p.split(' ')).map(([type, name]) => `${name}: ${rename(type)}`);
      return `fn ${head[2]}(${parameters.join(', ')}) -> ${rename(head[1])} {`;
    }
    if (/^struct \w+ \{$/.test(line)) inStruct = true;
    else if (line === '};') {
      inStruct = false;
      return '}';
    } else if (inStruct) return line.replace(/(\w+) (\w+);/, (_, type, name) => `${name}: ${rename(type)},`);
    const constant = line.match(new RegExp(`^const (${TYPE}) (\\w+) = (.*)$`));
    if (constant) return `const ${constant[2]}: ${rename(constant[1])} = ${constant[3]}`;
    const declared = line.replace(new RegExp(`(^\\s*|\\()(${TYPE}) (\\w+)( = |;)`), (_, before, type, name, after) => `${before}var ${name}: ${rename(type)}${after}`);
    return rename(declared);
  });
}

// What a language lacks.
const ADDED = {
  hlsl: `
float2 sinew_halves(uint word) {
  return float2(f16tof32(word & 0xffffu), f16tof32(word >> 16u));
}
`,
  wgsl: '',
};

export const LANGUAGES = { hlsl: toHlsl, wgsl: toWgsl };

/** Path below this folder and text of every file that is made. */
export function translations() {
  const files = [];
  for (const name of readdirSync(HERE).filter((file) => file.endsWith('.glsl')).sort()) {
    const source = readFileSync(join(HERE, name), 'utf8');
    for (const [language, translate] of Object.entries(LANGUAGES)) {
      const [licence, ...rest] = translate(source).split('\n');
      const more = name === 'common.glsl' ? ADDED[language] : '';
      files.push([join(language, name.replace('glsl', language)), [licence, `// Made from ${name} by translate.mjs.`, ...rest].join('\n') + more]);
    }
  }
  return files;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of translations()) {
    mkdirSync(join(HERE, dirname(path)), { recursive: true });
    writeFileSync(join(HERE, path), text);
  }
}
