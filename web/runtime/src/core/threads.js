// SPDX-License-Identifier: Apache-2.0
// As many threads as asked for, in pages that are crossOriginIsolated and serve these files as they are; elsewhere one.
export default async function createSinew(options = {}) {
  const name = globalThis.crossOriginIsolated === true ? './sinew-threads.js' : './sinew.js';
  const address = new URL(name, import.meta.url).href;
  const { default: create } = await import(/* @vite-ignore */ address);
  return create({ locateFile: (file) => new URL(file, address).href, ...options });
}
