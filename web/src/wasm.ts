// SPDX-License-Identifier: Apache-2.0
import type createSinew from '@wasm';
import type { Module } from '@wasm';

/** The module, as it was built, beside its .wasm. A browser that says it has threads may still refuse them: one thread
 * always works. */
export async function loadModule(base: string, threads: boolean): Promise<Module> {
  const start = async (script: string): Promise<Module> => {
    const url = new URL(`wasm/${script}`, base).href;
    const module = (await import(/* @vite-ignore */ url)) as { default: typeof createSinew };
    return module.default();
  };
  return threads ? start('sinew-threads.js').catch(() => start('sinew.js')) : start('sinew.js');
}
