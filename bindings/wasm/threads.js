// SPDX-License-Identifier: Apache-2.0
// How many threads there are to be, before the module makes its workers: as many as asked for, else one a core, the
// caller's own among them. More than 8 gain nothing on meshes that a page shows.
Module['threads'] = Math.max(1, Math.min(16, Module['threads'] ||
  Math.min(8, (typeof navigator === 'object' && navigator.hardwareConcurrency) || require('os').cpus().length)));
