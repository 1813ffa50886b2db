// SPDX-License-Identifier: Apache-2.0
import type { JobChoices } from './api';
import type { ChannelKind, DeformSettings, Frame, Info, Method, Opened, SettingInfo, Slot, Stroke } from './protocol';
import type { Layout } from './view/viewport';

export type Tool = 'rotate' | 'stretch' | 'reach' | 'twist' | 'cage' | 'handle' | 'pin' | 'joints' | 'paint';
export type Heat = 'none' | ChannelKind | 'reference';
export type Theme = 'auto' | 'light' | 'dark';

export interface OpenFile {
  name: string;
  bytes: Uint8Array;
  /** where the server has it, too */ id: string | null;
}
export interface Notice {
  id: number;
  kind: 'info' | 'error';
  title: string;
  text: string;
  action?: { label: string; run(): void };
}
export interface Job {
  kind: 'rig' | 'solve' | 'export' | 'retarget' | 'reference' | 'check';
  stage: string;
  fraction: number;
  cancelling: boolean;
}
export interface Figures {
  max: number;
  rms: number;
}
export interface HeatView {
  kind: Heat;
  joint: number;
  range: number;
  unit: string;
  figures: Figures[];
  stale: boolean;
}
export interface Pin {
  vertex: number;
  target: [number, number, number];
}
/** The brush, and what it paints. */
export interface PaintSettings {
  kind: 'weight' | 'stiffness';
  mode: Stroke['mode'];
  /** Of the weight, 0 to 1, or of the stiffness. */
  value: { weight: number; stiffness: number };
  /** Radius, CSS pixels. */
  size: number;
  strength: number;
  falloff: Stroke['falloff'];
  mirror: boolean;
  /** A pen presses harder for more. */
  pressure: boolean;
  locked: number[];
}
export interface Show {
  skeleton: boolean;
  wire: boolean;
  ground: boolean;
  /** As the file says; else clay. */
  textures: boolean;
}

export interface State {
  ready: boolean;
  version: string;
  threads: number;
  deformers: Method[];
  settings: SettingInfo[];
  choices: JobChoices | null;
  /** There is no program behind the page: it does all work itself. */
  alone: boolean;
  serverGone: boolean;
  file: OpenFile | null;
  opened: Opened | null;
  busy: { text: string; fraction: number | null } | null;
  frame: Frame | null;
  selected: number;
  hovered: number;
  tool: Tool;
  localAxes: boolean;
  chain: number;
  slots: [DeformSettings, DeformSettings];
  warnings: [string[], string[]];
  building: boolean;
  /** How far what a deformer lacks is made. */
  preparing: { stage: string; fraction: number } | null;
  /** A frame takes so long that it should be told. */
  slow: boolean;
  layout: Layout;
  divider: number;
  heat: Heat;
  heatView: HeatView | null;
  clip: number;
  time: number;
  playing: boolean;
  speed: number;
  loop: boolean;
  show: Show;
  theme: Theme;
  job: Job | null;
  report: string[];
  /** What a check of the open file said. */
  checked: string[];
  notices: Notice[];
  canUndo: boolean;
  canRedo: boolean;
  fps: number;
  /** Slots that the graphics card deforms. */
  drawn: Slot[];
  /** What draws the picture, as the browser names it. */
  graphics: string;
  pins: Pin[];
  /** Rest heads while joints are moved, 3 a joint; null otherwise. */
  heads: Float64Array | null;
  dot: number;
  hoveredDot: number;
  paint: PaintSettings;
  /** Where the brush is, over the picture. */
  brush: { x: number; y: number } | null;
  /** How many were painted since the file was opened. */
  strokes: number;
  readout: { text: string; x: number; y: number } | null;
}

export const initial: State = {
  ready: false,
  version: '',
  threads: 1,
  deformers: [],
  settings: [],
  choices: null,
  alone: false,
  serverGone: false,
  file: null,
  opened: null,
  busy: null,
  frame: null,
  selected: -1,
  hovered: -1,
  tool: 'rotate',
  localAxes: true,
  chain: 0,
  slots: [{ deformer: 'lbs' }, { deformer: '' }],
  warnings: [[], []],
  building: false,
  preparing: null,
  slow: false,
  layout: 'single',
  divider: 0.5,
  heat: 'none',
  heatView: null,
  clip: -1,
  time: 0,
  playing: false,
  speed: 1,
  loop: true,
  show: { skeleton: true, wire: false, ground: true, textures: true },
  theme: 'auto',
  job: null,
  report: [],
  checked: [],
  notices: [],
  canUndo: false,
  canRedo: false,
  fps: 0,
  drawn: [],
  graphics: '',
  pins: [],
  heads: null,
  dot: -1,
  hoveredDot: -1,
  paint: {
    kind: 'weight',
    mode: 'add',
    value: { weight: 1, stiffness: 20 },
    size: 40,
    strength: 0.5,
    falloff: 'smooth',
    mirror: false,
    pressure: true,
    locked: [],
  },
  brush: null,
  strokes: 0,
  readout: null,
};

/** Nodes that neither move skin nor carry joints that do (the mesh's own, cameras) are not for posing. */
export function poseable(info: Info): boolean[] {
  const out = info.joints.map((joint) => joint.deforms);
  info.joints.forEach((joint, j) => {
    if (!out[j]) return;
    for (let up = joint.parent; up >= 0 && !out[up]; up = info.joints[up].parent) out[up] = true;
  });
  return out.some(Boolean) ? out : out.map(() => true);
}

export function isSkinned(state: Readonly<State>): boolean {
  return state.opened !== null && state.opened.info.joints.length > 0 && state.opened.info.skinned;
}
