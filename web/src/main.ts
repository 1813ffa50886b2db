// SPDX-License-Identifier: Apache-2.0
// Puts the page together: state, worker, server, picture and panels.
import './styles/base.css';
import './styles/layout.css';
import './styles/controls.css';
import { Api, type JobChoices } from './api';
import { App } from './app';
import { Engine, type WorkerLike } from './engine';
import { type JobWorker, LocalRunner, ServerRunner } from './jobRunner';
import { axesWidget } from './panels/axes';
import { checkPanel } from './panels/check';
import { deformerPanel } from './panels/deformers';
import { heatPanel } from './panels/heat';
import { exportPanel, retargetPanel } from './panels/export';
import { helpSheet } from './panels/help';
import { inspectorPanel } from './panels/inspector';
import { keysPanel } from './panels/keys';
import { paintPanel } from './panels/paint';
import { pointsPanel } from './panels/points';
import { reportPanel, rigPanel } from './panels/rig';
import { brushCursor, busy, legend, notices, readout, split, statistics, welcome } from './panels/stage';
import { timeline } from './panels/timeline';
import { toolbar } from './panels/toolbar';
import { isDark, topbar } from './panels/topbar';
import { treePanel } from './panels/tree';
import type { Frame } from './protocol';
import { Graphics } from './graphics';
import { bindShortcuts } from './shortcuts';
import { Tools } from './tools';
import { h } from './ui/dom';
import { saveFile } from './ui/save';
import { bindView } from './view/bind';
import { Viewport } from './view/viewport';
import { exposeHook } from './hook';

const parameters = new URLSearchParams(location.search);
const api = new Api(parameters.get('token') ?? '');
// Without a program behind it, the page does all work itself.
const alone = !parameters.has('token');
const startWorker = (): WorkerLike => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
const threads = crossOriginIsolated && parameters.get('threads') !== '0' && navigator.hardwareConcurrency > 1;

let crash = 0;
const engine = new Engine(startWorker, new URL('.', location.href).href, threads, {
  frame: (frame) => adopt(frame),
  slow: (slow) => app.store.set({ slow }),
  progress: (stage, fraction) => app.store.set({ preparing: { stage, fraction } }),
  crashed: (why) => {
    app.store.set({ busy: null, building: false });
    crash = app.notices.notify(
      'error',
      'The deformer stopped',
      `${why.replace(/[.!]?$/, '.')} It is started again with the file and the pose that it had.`,
    );
  },
  recovered: (frame) => {
    if (frame) adopt(frame);
    app.notices.dismiss(crash);
    app.notices.notify('info', 'The deformer was restarted', 'The pose is the last one that was shown.');
  },
});
const base = new URL('.', location.href).href;
const startJob = (): JobWorker => new Worker(new URL('./jobWorker.ts', import.meta.url), { type: 'module' });
const app = new App(engine, api, alone ? new LocalRunner(startJob, base, threads) : new ServerRunner(api));
app.store.set({ alone });
const tools = new Tools(app);

function adopt(frame: Frame): void {
  const old = app.state.frame;
  app.store.set({ frame });
  engine.recycle(old);
  count();
}

/** Frames in the last second, while something moves. */
const stamps: number[] = [];
let still: ReturnType<typeof setTimeout> | undefined;
function count(): void {
  const now = performance.now();
  stamps.push(now);
  while (stamps.length && now - stamps[0] > 1000) stamps.shift();
  const span = (now - stamps[0]) / 1000;
  app.store.set({ fps: stamps.length > 2 && span > 0.2 ? (stamps.length - 1) / span : 0 });
  clearTimeout(still);
  still = setTimeout(() => app.store.set({ fps: 0 }), 1500);
}

const picker = h('input', {
  type: 'file',
  class: 'hidden-label',
  accept: '.glb,.gltf,.obj,.ply,.off,.stl,.json',
  tabindex: '-1',
  'aria-hidden': 'true',
  id: 'file-input',
});
picker.addEventListener('change', () => {
  const file = picker.files?.[0];
  if (file) void app.files.open(file);
  picker.value = '';
});
const open = (): void => picker.click();
const help = helpSheet();
const picture = async (transparent: boolean): Promise<void> => {
  const ground = getComputedStyle(document.documentElement).getPropertyValue('--picture-ground').trim() || '#ffffff';
  const name = (app.state.file?.name ?? 'picture').replace(/\.[^.]*$/, '');
  try {
    saveFile(`${name}.png`, await viewport.picture(transparent ? null : ground));
  } catch (error) {
    app.notices.fail('Picture', error);
  }
};

const stage = h('main', { class: 'stage', 'aria-label': 'Picture' });
document.body.append(
  topbar(app, { open, help: () => help.showModal(), picture: (transparent) => void picture(transparent) }),
  h('aside', { class: 'side left', 'aria-label': 'Skeleton panel' }, treePanel(app)),
  stage,
  h(
    'aside',
    { class: 'side right', 'aria-label': 'Settings' },
    rigPanel(app),
    paintPanel(app),
    inspectorPanel(app),
    deformerPanel(app),
    heatPanel(app),
    keysPanel(app),
    pointsPanel(app),
    reportPanel(app),
    checkPanel(app),
    exportPanel(app),
    retargetPanel(app),
  ),
  timeline(app),
  picker,
  help,
);

const viewport = new Viewport(stage, (canvas) => tools.attach(canvas));
tools.viewport = viewport;
app.store.set({ graphics: viewport.graphics });
const axes = axesWidget(viewport);
viewport.drawn = () => axes.update();
stage.append(
  split(app),
  toolbar(app),
  axes.element,
  statistics(app),
  legend(app),
  welcome(app, open),
  busy(app),
  brushCursor(app),
  readout(app),
  notices(app),
);
bindView(app, viewport, tools);
const graphics = new Graphics(app, viewport, parameters.get('gpu') !== '0');
bindShortcuts(app, {
  open,
  help: () => help.showModal(),
  picture: () => void picture(false),
  frame: () => frameSelection(),
  view: (name) => viewport.frame(undefined, name),
  cancelDrag: () => tools.cancel(),
  unpin: () => void app.pins.set(app.state.pins.slice(0, -1)),
});
exposeHook(app, viewport, tools, graphics);

/** The selected bone with room around it; all where nothing is selected. */
function frameSelection(): void {
  const { selected, frame, opened } = app.state;
  const bone = opened?.info.bones.findIndex((b) => b.joint === selected) ?? -1;
  if (selected < 0 || bone < 0 || !frame) return viewport.frame();
  const s = frame.segments.subarray(6 * bone, 6 * bone + 6);
  const room = 0.6 * Math.hypot(s[3] - s[0], s[4] - s[1], s[5] - s[2]);
  viewport.frame(
    [0, 1, 2].map((k) => Math.min(s[k], s[k + 3]) - room).concat([0, 1, 2].map((k) => Math.max(s[k], s[k + 3]) + room)),
  );
}

// --- theme ---

const applyTheme = (): void => {
  const dark = isDark(app.state.theme);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  viewport.setTheme(dark);
};
const remembered = localStorage.getItem('sinew-theme');
if (remembered === 'light' || remembered === 'dark') app.store.set({ theme: remembered });
app.store.on(['theme'], ({ theme }) => {
  if (theme !== 'auto') localStorage.setItem('sinew-theme', theme);
  applyTheme();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme);

// --- dropping files ---

for (const name of ['dragenter', 'dragover'] as const) {
  window.addEventListener(name, (event) => {
    event.preventDefault();
    document.body.classList.add('dropping');
  });
}
window.addEventListener('dragleave', (event) => {
  if (!event.relatedTarget) document.body.classList.remove('dropping');
});
window.addEventListener('drop', (event) => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  const file = event.dataTransfer?.files[0];
  if (file) void app.files.open(file);
});

// --- graphics that go away ---

let told = 0;
viewport.onContext(
  () => {
    graphics.stop();
    told = app.notices.notify(
      'error',
      'The graphics context was lost',
      'It is restored as soon as the graphics driver allows; the pose is safe.',
      { label: 'Reload the page', run: () => location.reload() },
    );
  },
  () => {
    graphics.refresh();
    app.notices.dismiss(told);
    app.notices.notify('info', 'The graphics context was restored', 'It was lost for a moment.');
  },
);

// --- start ---

async function start(): Promise<void> {
  const session = alone
    ? null
    : api.session().catch((error: unknown) => {
        app.notices.fail('sinew studio', error);
        return null;
      });
  try {
    const ready = await engine.load();
    app.store.set({
      ready: true,
      version: ready.version,
      deformers: ready.deformers,
      settings: ready.settings,
      threads: ready.threads,
      choices: alone ? (JSON.parse(ready.choices) as JobChoices) : null,
    });
  } catch (error) {
    app.store.set({ busy: null });
    app.notices.notify('error', 'The deformers could not be loaded', (error as Error).message);
  }
  const server = await session;
  if (server) app.store.set({ choices: server });
  const example = parameters.get('open');
  if (alone && example && app.state.ready) await app.files.openExample(example);
  if (server?.file && app.state.ready) await app.files.openFromServer(server.file.id, server.file.name);
}
void start();
