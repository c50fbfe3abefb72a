/** The operator's overrides in use. */
import { OVERRIDES_LIMITS, type Overrides, parseOverrides } from '@whence/dataset/internal/overrides/overrides';
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

  protected override use(text: string, day: string): void {
    this.#events.loaded(parseOverrides(text, day));
  }

  protected override useNone(): boolean {
    if (this.#isOptional) this.#events.loaded(undefined);
    return this.#isOptional;
  }

  protected override refused(reason: string): void {
    this.#events.refused(reason);
  }
}
