// SPDX-License-Identifier: Apache-2.0
import type { App } from './app';
import type { DeformSettings, Slot } from './protocol';
import type { State } from './state';

/** The deformer of each slot, and how many are shown. */
export class Deformers {
  constructor(private readonly app: App) {}

  async set(slot: Slot, settings: DeformSettings): Promise<boolean> {
    const { store, engine } = this.app;
    store.set({ building: true });
    try {
      const made = await engine.setDeformer(slot, settings);
      const slots: State['slots'] = [...this.app.state.slots];
      const warnings: State['warnings'] = [...this.app.state.warnings];
      slots[slot] = settings;
      warnings[slot] = made;
      store.set({ slots, warnings });
      if (this.app.state.frame) await engine.change([], 'refresh');
      this.app.heat.refreshReference();
      return true;
    } catch (error) {
      this.app.notices.fail(`The deformer ${settings.deformer} cannot be used`, error);
      store.set({ slots: [...this.app.state.slots] }); // what is chosen in the panel goes back
      return false;
    } finally {
      store.set({ building: false, preparing: null });
    }
  }

  async setLayout(layout: State['layout']): Promise<void> {
    // The second deformer first: until it is there, one picture is all there is to show.
    if (this.app.state.layout === 'single' && layout !== 'single' && !(await this.set(1, this.second()))) return;
    this.app.store.set({ layout });
    this.showSlots();
    if (this.app.state.frame) {
      await this.app.engine.change([], 'refresh').catch((error: unknown) => this.app.notices.fail('Split view', error));
    }
    if (this.app.state.heat !== 'none') await this.app.heat.set(this.app.state.heat);
  }

  /** The one chosen before; at first the best that is there without making anything. */
  private second(): DeformSettings {
    const { opened, slots } = this.app.state;
    if (slots[1].deformer !== '') return slots[1];
    const best = opened?.info.channels.swing ? 'swing-twist' : 'dqs';
    return { deformer: slots[0].deformer === best ? 'lbs' : best };
  }

  showSlots(): void {
    this.app.engine.slots = this.app.state.layout === 'single' ? [0] : [0, 1];
  }
}
