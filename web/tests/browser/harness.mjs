// SPDX-License-Identifier: Apache-2.0
// What the browser tests share: the program, a browser, files made by the program, and comparisons with it.
import { execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const SKIPPED = 77;

export function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const path of [
    process.env.SINEW_CHROMIUM,
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
  ]) {
    try {
      if (path) {
        accessSync(path, constants.X_OK);
        return path;
      }
    } catch {
      // the next one
    }
  }
  return null;
}

export function launch(chromium, executablePath, more = []) {
  // The picture is drawn by software, so that it is the same on every machine.
  const args = [
    '--no-sandbox',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--ignore-gpu-blocklist',
    '--disable-dev-shm-usage',
    ...more,
  ];
  return chromium.launch({ executablePath, args, timeout: 120_000 });
}

/** The program as its users run it. */
export class Native {
  constructor(program, folder) {
    this.program = program;
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  path(name) {
    return join(this.folder, name);
  }

  run(...words) {
    return execFileSync(this.program, [...words, '--force', '--quiet'], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  make(kind, name, ...options) {
    this.run('make', kind, '-o', this.path(name), ...options);
    return this.path(name);
  }

  /** Vertices of a file in a pose, as the command line makes them. */
  pose(file, ...options) {
    this.run('pose', file, ...options, '-o', this.path('native.obj'));
    return readObj(this.path('native.obj'));
  }

  /** `sinew studio FILE`: its address, and what ends it. */
  async serve(page, ...words) {
    const server = spawn(this.program, ['studio', ...words, '--no-open', '--page', page], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const url = await new Promise((done, failed) => {
      server.once('exit', (code) => failed(new Error(`sinew studio ended with ${code}`)));
      server.stdout.once('data', (data) => done(String(data).split('\n')[0].trim()));
    });
    return { url, stop: () => server.kill('SIGTERM') };
  }
}

export function readObj(path) {
  const out = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.startsWith('v ')) out.push(...line.slice(2).trim().split(/\s+/).slice(0, 3).map(Number));
  }
  return out;
}

export function check(condition, text) {
  if (!condition) throw new Error(text);
}

/** The diagonal of the box around vertices. */
export function sizeOf(positions) {
  const low = [Infinity, Infinity, Infinity],
    high = [-Infinity, -Infinity, -Infinity];
  positions.forEach((v, i) => {
    low[i % 3] = Math.min(low[i % 3], v);
    high[i % 3] = Math.max(high[i % 3], v);
  });
  return Math.hypot(...high.map((v, k) => v - low[k]));
}

/** Distances of vertices over the size, rising. */
export function distances(a, b) {
  const size = sizeOf(a),
    out = [];
  for (let i = 0; i < a.length; i += 3)
    out.push(Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]) / size);
  return out.sort((x, y) => x - y);
}

export function largestDistance(a, b) {
  check(a.length === b.length && a.length > 0, `${a.length / 3} vertices in the page and ${b.length / 3} natively`);
  let most = 0;
  for (let i = 0; i < a.length; i += 3)
    most = Math.max(most, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
  return most;
}

/** Vertices of the page against native ones, 1e-5 of the size. */
export async function checkVertices(studio, slot, native, what) {
  await studio.settled();
  const off = largestDistance(await studio.positions(slot), native) / sizeOf(native);
  check(off < 1e-5, `${what}: ${off} of the size from the native vertices`);
  return off;
}

/** The page under test: what a user does with it, and what its hook tells. */
export class Studio {
  constructor(page, shots) {
    this.page = page;
    this.shots = shots;
    this.faults = [];
    page.setDefaultTimeout(Number(process.env.SINEW_TIMEOUT ?? 60_000));
    page.on('pageerror', (error) => this.faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(message.text());
    });
  }

  async open(url) {
    await this.page.goto(url);
    await this.page.waitForFunction(() => window.sinew?.ready);
  }

  /** The file on the command line is shown. */
  async load(url, name) {
    await this.open(url);
    await this.shown(name);
  }

  async shown(name) {
    await this.page.waitForFunction(
      (n) => window.sinew.file === n && !window.sinew.busy && window.sinew.milliseconds.length > 0,
      name,
    );
  }

  choose(path) {
    return this.page.setInputFiles('#file-input', path);
  }

  positions(slot = 0) {
    return this.page.evaluate((s) => window.sinew.positions(s), slot);
  }

  pose() {
    return this.page.evaluate(() => window.sinew.pose());
  }

  get(name) {
    return this.page.evaluate((n) => window.sinew[n], name);
  }

  async joint(name) {
    return (await this.get('joints')).indexOf(name);
  }

  async head(name) {
    return this.page.evaluate((j) => window.sinew.head(j), await this.joint(name));
  }

  async screen(name) {
    return this.page.evaluate((j) => window.sinew.screen(j), await this.joint(name));
  }

  select(name) {
    return this.page.click(`[data-joint="${name}"]`);
  }

  tool(name) {
    return this.page.click(`[data-tool="${name}"]`);
  }

  async deformer(slot, name) {
    await this.page.selectOption(`[data-role="deformer-${slot}"]`, name);
    await this.idle();
  }

  idle() {
    return this.page.waitForFunction(() => !window.sinew.busy);
  }

  async type(label, value) {
    await this.page.fill(`[aria-label="${label}"]`, String(value));
    await this.page.press(`[aria-label="${label}"]`, 'Enter');
  }

  /** Back to the pose of the file, and all waiting frames made. */
  async reset() {
    await this.page.click('[aria-label="Reset the pose"]');
    await this.settled();
  }

  /** Every change that was asked for is shown. */
  settled() {
    return this.page.waitForFunction(() => window.sinew.settled);
  }

  /** Waits until the vertices are others than these. */
  async moved(before) {
    await this.page.waitForFunction(
      (old) => window.sinew.positions(0).some((v, i) => Math.abs(v - old[i]) > 1e-7),
      before,
    );
  }

  async drag(from, to) {
    await this.page.mouse.move(from.x, from.y);
    await this.page.mouse.down();
    await this.page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
    await this.page.mouse.move(to.x, to.y);
    await this.page.mouse.up();
  }

  /** Dismisses what lies over the picture. */
  async quiet() {
    const all = this.page.locator('[data-role="notice"] [aria-label="Dismiss"]');
    while (await all.count())
      await all
        .first()
        .click({ timeout: 2000 })
        .catch(() => undefined);
  }

  notice(text) {
    return this.page.waitForSelector(`[data-role="notice"]:has-text("${text}")`);
  }

  async download(action) {
    const waiting = this.page.waitForEvent('download');
    await action();
    const download = await waiting;
    return { name: download.suggestedFilename(), path: await download.path() };
  }

  async save(label) {
    await this.page.click('button[aria-haspopup="menu"]');
    return this.download(() => this.page.click(`[role="menuitem"] span:text-is("${label}")`));
  }

  shot(name) {
    return this.page.screenshot({ path: join(this.shots, `${name}.png`) });
  }

  /** Share of strongly coloured pixels in the picture. */
  async colourful() {
    return (await this.shares()).strong;
  }

  /** Shares of clearly red and of clearly blue pixels. */
  hues() {
    return this.shares();
  }

  async shares() {
    const box = await this.page.locator('.stage > canvas').boundingBox();
    const clip = {
      x: box.x + box.width * 0.2,
      y: box.y + box.height * 0.15,
      width: box.width * 0.6,
      height: box.height * 0.6,
    };
    const png = (await this.page.screenshot({ clip })).toString('base64');
    return this.page.evaluate(async (data) => {
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes]));
      const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
      context.drawImage(picture, 0, 0);
      const pixels = context.getImageData(0, 0, picture.width, picture.height).data;
      const found = { strong: 0, red: 0, blue: 0, bright: 0 };
      for (let i = 0; i < pixels.length; i += 4) {
        const [r, g, b] = pixels.subarray(i, i + 3);
        if (Math.max(r, g, b) - Math.min(r, g, b) > 70) ++found.strong;
        found.bright += (r + g + b) / 765;
        if (r > g + 60 && r > b + 60) ++found.red;
        if (b > r + 60 && b > g + 40) ++found.blue;
      }
      for (const key of Object.keys(found)) found[key] /= pixels.length / 4;
      return found;
    }, png);
  }
}
