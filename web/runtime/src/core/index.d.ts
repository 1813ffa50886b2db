// SPDX-License-Identifier: Apache-2.0
import type { Module, ModuleOptions } from './sinew.js';
export * from './sinew.js';
/** The library in WebAssembly. threads: in Node, and in pages by `@sinew/web/core/threads` where they are crossOriginIsolated. */
export default function createSinew(options?: ModuleOptions): Promise<Module>;
