// SPDX-License-Identifier: Apache-2.0
// One thread. The address is written so that bundlers find the file; threads.js is for pages without a bundler, which would have
// to put its worker into a file of its own.
import create from './sinew.js';

export default function createSinew(options = {}) {
  const wasm = new URL('./sinew.wasm', import.meta.url);
  return create({ locateFile: (file, prefix) => (file === 'sinew.wasm' ? wasm.href : prefix + file), ...options });
}
