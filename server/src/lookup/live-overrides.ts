/** The operator's overrides in use. */
import { runThread } from '@whence/dataset/internal/io/run-thread';
import { OVERRIDES_LIMITS, type Overrides } from '@whence/dataset/internal/overrides/overrides';
import type { ReadOverrides } from './overrides-thread.ts';
import { WatchedFile } from './watched-file.ts';

type OverridesEvents = { loaded(overrides: Overrides | undefined): void; refused(reason: string): void };

export class LiveOverrides extends WatchedFile {
  readonly #events: OverridesEvents;
  readonly #isOptional: boolean;

  /** `isOptional`: without the file there are none. */
  constructor(path: string, isOptional: boolean, events: OverridesEvents) {
    super(path, OVERRIDES_LIMITS);
    this.#events = events;
    this.#isOptional = isOptional;
  }

  protected override async use(content: Buffer, day: string, signal: AbortSignal): Promise<string> {
    const module = new URL('./overrides-thread.js', import.meta.url);
    const { overrides, checksum } = await runThread<ReadOverrides>(module, { content, day }, signal);
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
