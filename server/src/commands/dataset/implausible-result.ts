/** Compares the result of an update with the previous version and reports implausible changes. */

import type { Build } from '@whence/dataset/build';
import { checkResult, type ExplainedChange } from '@whence/dataset/check-result';
import { type Dataset, openDataset } from '@whence/dataset/dataset';
import { DatasetError } from '@whence/dataset/dataset-error';
import { readManifest, type VersionEntry, versionPath } from '@whence/dataset/versions';
import { PROGRAM } from '../../terminal/program-name.ts';
import { PLAIN } from '../../terminal/style.ts';
import { formatCount, formatMegabytes, formatTable } from '../../terminal/table.ts';

export class ImplausibleResultError extends DatasetError {
  override name = 'ImplausibleResultError';
  readonly causes: ReadonlySet<string>;

  readonly #changes: readonly ExplainedChange[];
  readonly #previous: number | undefined;

  /** The message has a line per change, for the report of the update and for logs. */
  constructor(changes: readonly ExplainedChange[], previous: number | undefined) {
    super(formatChanges(changes, previous, PLAIN.width));
    this.#changes = changes;
    this.#previous = previous;
    this.causes = new Set(changes.flatMap(({ sources }) => sources.map(({ id }) => id)));
  }

  messageIn(width: number): string {
    return formatChanges(this.#changes, this.#previous, width);
  }
}

/**
 * Throws unless the build may be published. `accepted`: feeds whose changes the operator accepts.
 */
export function requirePlausible(
  dataDir: string,
  { content, dataset, embedded }: Build,
  accepted: ReadonlySet<string> = new Set(),
): void {
  const feeds = new Set(content.meta.sources.flatMap(({ id }) => (embedded.has(id) ? [] : id)));
  const previous = newestWith(feeds, dataDir);
  const isAccepted = ({ sources }: ExplainedChange) =>
    sources.length > 0 && sources.every(({ id }) => accepted.has(id));
  const changes = checkResult(content, dataset, previous).filter((change) => !isAccepted(change));
  if (changes.length > 0) throw new ImplausibleResultError(changes, previous?.version);
}

// The newest version with one of these feeds; one without any, such as the embedded default, cannot
// be compared.
function newestWith(feeds: ReadonlySet<string>, dataDir: string) {
  const entry = readManifest(dataDir)
    ?.versions.filter(({ sources }) => sources.some(({ id }) => feeds.has(id)))
    .sort((a, b) => Date.parse(b.built_at) - Date.parse(a.built_at) || b.version - a.version)[0];
  return entry && { ...entry, open: () => openIfWhole(dataDir, entry) };
}

function openIfWhole(dataDir: string, entry: VersionEntry): Dataset | undefined {
  try {
    return openDataset(versionPath(dataDir, entry));
  } catch {
    // The numbers of the manifest are enough to refuse; only the causes are missing.
    return undefined;
  }
}

const LISTED_SOURCES = 3;

function formatChanges(
  changes: readonly ExplainedChange[],
  previous: number | undefined,
  width: number,
): string {
  const head = [
    '',
    'what',
    previous === undefined ? '' : `version ${previous}`,
    'new',
    'allowed',
    'by',
  ];
  const rows = changes.map(({ measure, before, after, limit, sources }) => {
    const format = formatOf(measure);
    let unit = '';
    if ('version' in measure) unit = measure.version === 4 ? ' IPv4 addresses' : ' IPv6 /48s';
    const by = sources
      .slice(0, LISTED_SOURCES)
      .map(({ id, space }) => `${id} ${space < 0 ? '' : '+'}${formatCount(space)}`);
    return [
      '',
      `${nameOf(measure)}${unit}`,
      previous === undefined ? '' : format(before),
      format(after),
      limit,
      by.join(', ') || 'unknown',
    ];
  });
  const against =
    previous === undefined ? 'is not plausible' : `differs too much from version ${previous}`;
  return (
    `the new dataset ${against}, so it was not published:\n${formatTable(rows, { ...PLAIN, width }, { head })}` +
    `disable the feed (WHENCE_FEEDS), or publish it with: ${PROGRAM} dataset update --accept-changes`
  );
}

function formatOf({ kind }: ExplainedChange['measure']): (value: number) => string {
  return kind === 'bytes' ? formatMegabytes : formatCount;
}

function nameOf(measure: ExplainedChange['measure']): string {
  if (measure.kind === 'bytes') return 'file size';
  if (measure.kind === 'answered') return 'answered';
  if (measure.kind === 'known good')
    return `${measure.name} of ${measure.service}, a known service,`;
  if (measure.kind === 'access network')
    return `${measure.name} of AS${measure.asn}, homes or phones,`;
  return measure.kind === 'flag' ? measure.name : `${measure.kind} ${measure.name}`;
}
