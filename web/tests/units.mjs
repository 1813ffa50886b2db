// SPDX-License-Identifier: Apache-2.0
// Types, rules, layout and the tests of the page's pure parts, where its packages are installed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = `${root}node_modules/vitest/vitest.mjs`;
if (!existsSync(vitest)) {
  console.log('skipped: the packages of the page are not installed, ./dev page installs them');
  process.exit(77);
}
const bin = `${root}node_modules`;
const commands = [
  [`${bin}/typescript/bin/tsc`, '--noEmit', '-p', root],
  [`${bin}/eslint/bin/eslint.js`, root],
  [`${bin}/prettier/bin/prettier.cjs`, '--check', '--log-level', 'warn', root],
  [vitest, 'run', '--root', root],
];
for (const command of commands) {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
