/** Compares the result of an update with the previous version and reports implausible changes. */
import { DatasetError } from '@whence/dataset/dataset-error';
import { checkResult, type ExplainedChange } from '@whence/dataset/internal/compile/guard/check-result';
import { type Dataset, openDataset } from '@whence/dataset/internal/file/read';
import type { Content } from '@whence/dataset/internal/file/write';
import { readManifest, type VersionEntry, versionPath } from '@whence/dataset/internal/versions/publish';
import { PROGRAM } from '../../terminal/program-name.ts';
import { formatShare, qualityName } from '../../terminal/quality.ts';
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

/** Throws unless the content may be published. `embedded`: the ids of the sources that every version has. */
export function requirePlausible(dataDir: string, content: Content, embedded: ReadonlySet<string>): void {
  const feeds = new Set(content.meta.sources.flatMap(({ id }) => (embedded.has(id) ? [] : id)));
  const previous = newestWith(feeds, dataDir);
  const changes = checkResult(content, previous);
  if (changes.length > 0) throw new ImplausibleResultError(changes, previous?.version);
}

// The newest version with one of these feeds; one without any, such as the embedded default, cannot be compared.
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

function formatChanges(changes: readonly ExplainedChange[], previous: number | undefined, width: number): string {
  const head = ['', 'what', previous === undefined ? '' : `version ${previous}`, 'new', 'allowed', 'by'];
  const rows = changes.map(({ measure, before, after, limit, sources }) => {
    const format = formatOf(measure);
    const unit = 'version' in measure ? (measure.version === 4 ? ' IPv4 addresses' : ' IPv6 /48s') : '';
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
  const against = previous === undefined ? 'is not plausible' : `differs too much from version ${previous}`;
  return (
    `the new dataset ${against}, so it was not published:\n${formatTable(rows, { ...PLAIN, width }, { head })}` +
    `disable the feed (WHENCE_FEEDS), or publish it with: ${PROGRAM} dataset update --accept-changes`
  );
}

function formatOf({ kind }: ExplainedChange['measure']): (value: number) => string {
  if (kind === 'bytes') return formatMegabytes;
  return kind === 'quality' ? formatShare : formatCount;
}

function nameOf(measure: ExplainedChange['measure']): string {
  if (measure.kind === 'bytes') return 'file size';
  if (measure.kind === 'quality') return qualityName(measure.row);
  if (measure.kind === 'answered') return 'answered';
  if (measure.kind === 'known good') return `${measure.name} of ${measure.service}, a known service,`;
  if (measure.kind === 'access network') return `${measure.name} of AS${measure.asn}, homes or phones,`;
  return measure.kind === 'flag' ? measure.name : `${measure.kind} ${measure.name}`;
}
