/**
 * The location database in use: the file of `WHENCE_LOCATION_DB`, or what an update has fetched.
 */
import {
  fetchedLocationPath,
  type LocationDatabase,
  openLocationInThread,
} from '@whence/dataset/location';
import { WatchedFile } from './watched-file.ts';

type LocationSettings = { readonly dataDir: string; readonly locationDb: string | undefined };

type LocationEvents = {
  loaded(database: LocationDatabase | undefined): void;
  refused(reason: string): void;
};

export const LOCATIONS_REFUSED =
  'the location database was refused; the last valid one, if any, stays in use';

export class LiveLocations extends WatchedFile {
  readonly #events: LocationEvents;
  readonly #isOptional: boolean;
  current: LocationDatabase | undefined;

  constructor({ dataDir, locationDb }: LocationSettings, events: LocationEvents) {
    super(locationDb ?? fetchedLocationPath(dataDir));
    this.#events = events;
    this.#isOptional = locationDb === undefined;
  }

  /** The checksum is of no use: replicas may have different files. */
  protected override async load(_day: string, signal: AbortSignal): Promise<string> {
    this.current = await openLocationInThread(this.path, signal);
    this.#events.loaded(this.current);
    return '';
  }

  /** The feed is not enabled. */
  protected override useNone(): boolean {
    if (this.#isOptional && this.current !== undefined) {
      this.current = undefined;
      this.#events.loaded(undefined);
    }
    return this.#isOptional;
  }

  protected override refused(reason: string): void {
    this.#events.refused(reason);
  }
}
