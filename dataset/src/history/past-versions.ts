// What earlier versions answered about an address: from the changes of the versions from then to now; only where these
// are missing, and for evidence, is a whole file opened. Synchronous: servers do this in a thread.
import type { Address } from '../address.ts';
import { DatasetError } from '../dataset-error.ts';
import { UnreadableFormat } from '../file/format.ts';
import type { Dataset } from '../file/read.ts';
import { fileFingerprint } from '../io/file-fingerprint.ts';
import { explanationOf } from '../lookup/evidence.ts';
import { manifestPath, readManifest, type VersionEntry, verifyVersion } from '../versions/publish.ts';
import { compareAge, MAX_VERSIONS } from '../versions/retention.ts';
import { type Changed, ChangesFile } from './changes-file.ts';
import {
  type ChangesEntry,
  changesPath,
  historyPath,
  keyOf,
  readHistoryIndex,
  type VersionId,
  versionId,
} from './history-index.ts';
import { isSameText, type RecordText, recordJson, recordText, type SourceDates, sourceDates } from './record-text.ts';

/** A number, or a day in UTC (`2026-11-15`): the version that was the newest when it ended. */
export type WantedVersion = { readonly version: number } | { readonly day: string };

/** The version in use, and its record for the address. */
export type InUse = VersionId & { readonly dates: SourceDates; readonly record?: RecordText };

export function inUseFor(dataset: Dataset, address: Address): InUse {
  const dates = sourceDates(dataset.meta);
  const record = recordText(dataset, dataset.find(address), dates);
  return { ...versionId(dataset.meta), dates, ...(record && { record }) };
}

export type PastRecord =
  /** The version in use is the one that is wanted. */
  | { readonly kind: 'in use' }
  /** `json` is absent if the version has no record. */
  | { readonly kind: 'found'; readonly version: number; readonly json?: string }
  /** The version is unknown, or what is kept of it is not enough. */
  | { readonly kind: 'not kept' }
  /** Its changes are kept, but not its file, which has the evidence. */
  | { readonly kind: 'no evidence' };

/** Versions from `from_version` to `to_version` have the same record, up to dates of sources; it is that of the newest. */
export type RecordSpan = {
  readonly from_version: number;
  readonly to_version: number;
  /** When these versions were built. */
  readonly from: string;
  readonly to: string;
  /** JSON. Absent if the versions have no record. */
  readonly record?: string;
};

type Node = VersionId & { readonly changes?: ChangesEntry; readonly whole?: VersionEntry };
/** `dates` are those of the version itself; the record may be that of a later version, which is the same without them. */
type Known = { readonly record?: RecordText | undefined; readonly dates: SourceDates };

/** Beside the version in use. */
const MAX_OPEN = 2;
/** Headers of changes that are kept in memory; each has some 5 kB. */
const MAX_HEADERS = MAX_VERSIONS;

export class PastVersions {
  readonly #dataDir: string;
  /** The least recently used first. */
  readonly #open = new Map<string, Dataset>();
  readonly #headers = new Map<string, ChangesFile>();
  #seen = '';
  #nodes: ReadonlyMap<string, Node> = new Map();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Throws a DatasetError if a file that is needed is damaged. */
  record(
    wanted: WantedVersion,
    address: Address,
    inUse: InUse,
    { explained = false, now = new Date() } = {},
  ): PastRecord {
    const nodes = this.#nodesWith(inUse);
    const node = findWanted([...nodes.values()], wanted, now);
    if (node === undefined) return { kind: 'not kept' };
    if (keyOf(node) === keyOf(inUse)) return { kind: 'in use' };
    const { version } = node;
    if (explained) {
      if (node.whole === undefined) return { kind: 'no evidence' };
      const dataset = this.#openWhole(node.whole);
      if (dataset === undefined) return { kind: 'not kept' };
      const json = explainedJson(dataset, address);
      return { kind: 'found', version, ...(json !== undefined && { json }) };
    }
    const known = this.#lookUp(node, address, nodes, new Map([[keyOf(inUse), inUse]]));
    if (known === undefined) return { kind: 'not kept' };
    return { kind: 'found', version, ...(known.record && { json: recordJson(address, known.record, known.dates) }) };
  }

  /** From new to old, at most MAX_VERSIONS versions. It ends before a version that is not kept. */
  history(address: Address, inUse: InUse): RecordSpan[] {
    const nodes = this.#nodesWith(inUse);
    const newestFirst = [...nodes.values()].sort((a, b) => compareAge(b, a)).slice(0, MAX_VERSIONS);
    const later = new Map<string, Known>([[keyOf(inUse), inUse]]);
    const spans: (RecordSpan & { text: RecordText | undefined })[] = [];
    for (const node of newestFirst) {
      const known = this.#lookUp(node, address, nodes, later);
      if (known === undefined) break;
      later.set(keyOf(node), known);
      const { version, built_at } = node;
      const span = spans.at(-1);
      if (span !== undefined && isSameText(span.text, known.record))
        spans.splice(-1, 1, { ...span, from_version: version, from: built_at });
      else
        spans.push({
          ...{ from_version: version, to_version: version, from: built_at, to: built_at },
          ...(known.record && { record: recordJson(address, known.record, known.dates) }),
          text: known.record,
        });
    }
    return spans.map(({ text: _, ...span }) => span);
  }

  /** Undefined if not kept. `later`: known of other versions. From new to old, each file of changes is read once. */
  #lookUp(
    node: Node,
    address: Address,
    nodes: ReadonlyMap<string, Node>,
    later: ReadonlyMap<string, Known>,
  ): Known | undefined {
    let dates: SourceDates | undefined;
    let at: Node | undefined = node;
    // A list that leads in a circle is damaged, and must not be followed for ever.
    for (let left = nodes.size; at !== undefined && left > 0; left--) {
      const known = later.get(keyOf(at));
      if (known !== undefined) return { record: known.record, dates: dates ?? known.dates };
      const found = this.#findIn(at, address);
      if (found === undefined || at.changes === undefined) {
        const dataset = at.whole && this.#openWhole(at.whole);
        if (dataset === undefined) return undefined;
        const own = sourceDates(dataset.meta);
        return { record: recordText(dataset, dataset.find(address), own), dates: dates ?? own };
      }
      dates ??= found.dates;
      if (found.changed !== undefined) return { record: found.changed.record, dates };
      at = nodes.get(keyOf(at.changes.next));
    }
    return undefined;
  }

  /** Undefined if the changes are not kept, or if they are damaged and the whole file is there. */
  #findIn(
    { changes, whole }: Node,
    address: Address,
  ): { changed: Changed | undefined; dates: SourceDates } | undefined {
    if (changes === undefined) return undefined;
    try {
      const file = keepRecent(
        this.#headers,
        changes.file,
        MAX_HEADERS,
        () => new ChangesFile(changesPath(this.#dataDir, changes)),
      );
      return { changed: file.find(address), dates: file.dates };
    } catch (error) {
      this.#headers.delete(changes.file);
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      if (error instanceof DatasetError && whole !== undefined) return undefined;
      throw error;
    }
  }

  /** Undefined if the file is gone, or of a format that this version does not read. */
  #openWhole(entry: VersionEntry): Dataset | undefined {
    try {
      return keepRecent(this.#open, entry.sha256, MAX_OPEN, () => verifyVersion(this.#dataDir, entry));
    } catch (error) {
      if (error instanceof UnreadableFormat || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** All versions that something is kept of, and the one in use. Read again when a list has changed. */
  #nodesWith(inUse: InUse): ReadonlyMap<string, Node> {
    const lists = [manifestPath(this.#dataDir), historyPath(this.#dataDir)];
    const seen = [...lists.map(fileFingerprint), keyOf(inUse)].join(' ');
    if (seen === this.#seen) return this.#nodes;
    const nodes = new Map<string, Node>([[keyOf(inUse), versionId(inUse)]]);
    const add = (node: Node) => nodes.set(keyOf(node), { ...nodes.get(keyOf(node)), ...node });
    for (const changes of readHistoryIndex(this.#dataDir)) add({ ...versionId(changes), changes });
    for (const whole of readManifest(this.#dataDir)?.versions ?? []) add({ ...versionId(whole), whole });
    this.#nodes = nodes;
    this.#seen = seen;
    return nodes;
  }
}

/** If several versions have the number, the newest. */
function findWanted(nodes: readonly Node[], wanted: WantedVersion, now: Date): Node | undefined {
  if ('version' in wanted) return newest(nodes.filter(({ version }) => version === wanted.version));
  if (wanted.day > now.toISOString().slice(0, 10)) return undefined;
  return newest(nodes.filter(({ built_at }) => built_at.slice(0, 10) <= wanted.day));
}

const newest = (nodes: readonly Node[]): Node | undefined => [...nodes].sort(compareAge).at(-1);

function explainedJson(dataset: Dataset, address: Address): string | undefined {
  const match = dataset.find(address);
  if (match === 0) return undefined;
  return JSON.stringify({ ...dataset.record(address, match), ...explanationOf(dataset, address, match) });
}

/** The value of the key, which becomes the most recently used one. The least recently used are dropped beyond `max`. */
function keepRecent<Value>(recent: Map<string, Value>, key: string, max: number, make: () => Value): Value {
  const known = recent.get(key);
  recent.delete(key);
  const [oldest] = recent.keys();
  // Before the next one is opened, so that there are never more than `max`.
  if (recent.size >= max && oldest !== undefined) recent.delete(oldest);
  const value = known ?? make();
  recent.set(key, value);
  return value;
}
