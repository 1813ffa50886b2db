// SPDX-License-Identifier: Apache-2.0
import type { App } from './app';
import { boxOf } from './distance';
import { readPose, writePose } from './poseFile';
import type { DeformSettings } from './protocol';
import type { OpenFile } from './state';
import { saveFile } from './ui/save';

const MESH_FILE = /\.(glb|gltf|obj|ply|off|stl)$/i;

/** Opens and saves. */
export class Files {
  /** Of the mesh as it was shown first: where it is bound may be elsewhere, and of another size. */
  box = [0, 0, 0, 0, 0, 0];
  restCages: Float64Array[] = [];

  constructor(private readonly app: App) {}

  async open(file: File): Promise<void> {
    if (/\.json$/i.test(file.name)) return this.loadPose(file);
    if (!MESH_FILE.test(file.name)) {
      const known = 'Open a .glb, .gltf, .obj, .ply, .off or .stl, or a pose that was saved as .json.';
      this.app.notices.notify('error', file.name, `Unknown file extension. ${known}`);
      return;
    }
    await this.busily(file.name, `Reading ${file.name}`, async () =>
      this.openBytes(new Uint8Array(await file.arrayBuffer()), file.name, null),
    );
  }

  async openFromServer(id: string, name: string): Promise<void> {
    const text = `Fetching ${name}`;
    await this.busily(name, text, async () => {
      const bytes = await this.app.api.bytes(id, (fraction) => this.app.store.set({ busy: { text, fraction } }));
      await this.openBytes(bytes, name, id);
    });
  }

  /** A file beside the page. */
  async openExample(name: string): Promise<void> {
    await this.busily(name, `Fetching ${name}`, async () => {
      const response = await fetch(`examples/${encodeURIComponent(name)}`);
      if (!response.ok) throw new Error(`There is no example of this name (${response.status}).`);
      await this.openBytes(new Uint8Array(await response.arrayBuffer()), name, null);
    });
  }

  private async busily(name: string, text: string, work: () => Promise<void>): Promise<void> {
    this.app.store.set({ busy: { text, fraction: null } });
    try {
      await work();
    } catch (error) {
      this.app.notices.fail(name, error);
    } finally {
      this.app.store.set({ busy: null });
    }
  }

  async openBytes(bytes: Uint8Array, name: string, id: string | null): Promise<void> {
    const { store, engine, picture } = this.app;
    store.set({ busy: { text: `Opening ${name}`, fraction: null } });
    const opened = await engine.open(bytes, name);
    this.app.heat.forget();
    store.set({
      file: { name, bytes, id },
      opened,
      selected: -1,
      hovered: -1,
      clip: opened.info.clips.length ? 0 : -1,
      time: 0,
      playing: false,
      heat: 'none',
      heatView: null,
      pins: [],
      strokes: 0,
      paint: { ...this.app.state.paint, locked: [] },
      heads: null,
      dot: -1,
      report: opened.info.warnings,
      checked: [],
      tool: 'rotate',
      frame: null,
      warnings: [[], []],
      layout: 'single',
      slots: [{ deformer: 'lbs' }, { deformer: '' }],
    });
    picture.paint([null, null], 1);
    const first: DeformSettings = opened.info.skinned ? opened.stored : { deformer: 'lbs' };
    await this.app.deformers.set(0, first);
    this.app.deformers.showSlots();
    engine.selected = -1;
    const frame = await engine.change([]);
    this.restCages = frame.cages.map((points) => points.slice());
    this.app.pose.start(frame.pose);
    this.box = boxOf(frame.slots[0]?.positions ?? opened.rest);
    picture.fit(this.box);
  }

  /** Another file of the same character takes the place of this one: pose, tool and view stay. Undo goes back to what
   * was painted before. */
  async replace(bytes: Uint8Array, settings: DeformSettings): Promise<void> {
    const { file, strokes, frame, slots } = this.app.state;
    if (!file || !frame) return;
    const before = strokes ? await this.app.engine.call('save', { atRest: true }) : file.bytes;
    const name = file.name.replace(/\.[^.]*$/, '.glb');
    this.app.store.set({ file: { name, bytes: before, id: strokes ? null : file.id }, strokes: 0, slots });
    this.app.pose.start(frame.pose);
    await this.swap({ name, bytes, id: null }, settings);
    this.app.pose.commit();
  }

  /** Opens a file in place of this one, in the same pose. */
  async swap(file: OpenFile, settings: DeformSettings): Promise<void> {
    const pose = this.app.state.frame?.pose;
    const opened = await this.app.engine.open(file.bytes, file.name);
    this.app.heat.forget();
    this.app.store.set({ file, opened, strokes: 0, pins: [], checked: [] });
    this.app.picture.place(this.box);
    await this.app.deformers.set(0, settings);
    if (pose) await this.app.engine.change([{ op: 'setPose', pose }]);
    if (this.app.state.heat !== 'none') await this.app.heat.set(this.app.state.heat);
  }

  private async loadPose(file: File): Promise<void> {
    const { opened, frame } = this.app.state;
    if (!opened || !frame) return void this.app.notices.notify('error', file.name, 'Open a rig first, then the pose.');
    try {
      await this.app.pose.edit([{ op: 'setPose', pose: readPose(await file.text(), opened.info, frame.pose) }]);
    } catch (error) {
      this.app.notices.fail(file.name, error);
    }
  }

  private stem(): string {
    return (this.app.state.file?.name ?? 'character').replace(/\.[^.]*$/, '');
  }

  savePose(): void {
    const { opened, frame } = this.app.state;
    if (!opened || !frame) return;
    saveFile(`${this.stem()}.pose.json`, new Blob([writePose(opened.info, frame.pose)], { type: 'application/json' }));
  }

  async saveGlb(): Promise<void> {
    try {
      this.save(`${this.stem()}.glb`, await this.app.engine.call('save', {}), 'model/gltf-binary');
    } catch (error) {
      this.app.notices.fail('Save', error);
    }
  }

  /** As it is shown: with pins, by the deformer that follows them. */
  async saveMesh(): Promise<void> {
    const { engine, state } = this.app;
    const { pins, slots } = state;
    try {
      let bytes: Uint8Array;
      try {
        if (pins.length) {
          const handles = pins.map((p) => ({ vertex: p.vertex, position: p.target }));
          await engine.setDeformer(0, { deformer: 'arap', handles });
        }
        bytes = await engine.call('saveMesh', { slot: 0, format: 'obj' });
      } finally {
        if (pins.length) await engine.setDeformer(0, slots[0]);
      }
      this.save(`${this.stem()}.${pins.length ? 'pulled' : 'posed'}.obj`, bytes, 'text/plain');
    } catch (error) {
      this.app.notices.fail('Save', error);
    }
  }

  save(name: string, bytes: Uint8Array, type: string): void {
    saveFile(name, new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
  }
}
