/** The operator's overrides in use. */

import { readRegular } from '@whence/dataset/io/files';
import { runThread } from '@whence/dataset/io/thread';
import { OVERRIDES_LIMITS, type Overrides } from '@whence/dataset/overrides';
import type { ReadOverrides } from './overrides-thread.ts';
import { WatchedFile } from './watched-file.ts';

type OverridesEvents = {
  loaded(overrides: Overrides | undefined): void;
  refused(reason: string): void;
};

export class LiveOverrides extends WatchedFile {
  readonly #events: OverridesEvents;
  readonly #isOptional: boolean;

  /** `isOptional`: without the file there are none. */
  constructor(path: string, isOptional: boolean, events: OverridesEvents) {
    super(path);
    this.#events = events;
    this.#isOptional = isOptional;
  }

  protected override async load(day: string, signal: AbortSignal): Promise<string> {
    const content = await readRegular(this.path, OVERRIDES_LIMITS);
    const module = new URL('./overrides-thread.js', import.meta.url);
    const { overrides, checksum } = await runThread<ReadOverrides>(
      module,
      { content, day },
      signal,
    );
    this.#events.loaded(overrides);
    return checksum;
  }

  protected override useNone(): boolean {
    if (this.#isOptional) this.#events.loaded(undefined);
    return this.#isOptional;
  }

  protected override refused(reason: string): void {
    this.#events.refused(reason);
  }
}
