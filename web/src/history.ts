// SPDX-License-Identifier: Apache-2.0

/** Snapshots in order and a place among them. What was undone is gone once something new is committed. */
export class History<T> {
  private entries: T[] = [];
  private at = -1;

  constructor(private readonly limit = 200) {}

  /** Forgets everything; `first` is what undo can go back to. */
  start(first: T): void {
    this.entries = [first];
    this.at = 0;
  }

  commit(entry: T): void {
    this.entries.length = this.at + 1;
    this.entries.push(entry);
    if (this.entries.length > this.limit) this.entries.shift();
    this.at = this.entries.length - 1;
  }

  get present(): T | undefined {
    return this.entries[this.at];
  }

  get canUndo(): boolean {
    return this.at > 0;
  }

  get canRedo(): boolean {
    return this.at < this.entries.length - 1;
  }

  undo(): T | undefined {
    return this.canUndo ? this.entries[--this.at] : undefined;
  }

  redo(): T | undefined {
    return this.canRedo ? this.entries[++this.at] : undefined;
  }
}
