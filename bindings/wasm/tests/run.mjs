// SPDX-License-Identifier: Apache-2.0
// usage: node run.mjs FOLDER PROGRAM TEST: a test with the module in FOLDER against the native PROGRAM. Ends with 77,
// which is skipped, where there is no module.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const [folder, program, test] = process.argv.slice(2);
if (!fs.existsSync(path.join(folder, 'sinew.wasm'))) {
  console.log(`skipped: no module in ${folder}: ./dev page builds it`);
  process.exit(77);
}
const environment = { ...process.env, SINEW_WASM: folder, SINEW_PROGRAM: program };
process.exit(spawnSync(process.execPath, ['--test', test], { stdio: 'inherit', env: environment }).status ?? 1);
