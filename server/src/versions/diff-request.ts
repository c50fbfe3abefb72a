/** Requests for a comparison of two published versions, or for one version: how they are read and refused. */
import { DEFAULT_DIFF_LIMIT, MAX_DIFF_LIMIT } from '@whence/dataset/internal/diff/limit';
import type { VersionEntry } from '@whence/dataset/internal/versions/publish';
import { ApiError } from '../http/errors.ts';
import { integer, object, optional, type TextsOf } from '../http/json-schema.ts';
import { parseLimit } from '../http/requests.ts';
import type { Requester } from '../limits/cost-classes.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import type { DatasetDiffs } from './dataset-diffs.ts';

const LIMIT = { fallback: DEFAULT_DIFF_LIMIT, max: MAX_DIFF_LIMIT };

export const diffQuery = object({
  from: optional({
    ...integer('Number of the older version; without it, the version before `to`.'),
    minimum: 0,
    examples: [1],
  }),
  to: optional({
    ...integer('Number of the newer version; without it, the current one.'),
    minimum: 0,
    examples: [2],
  }),
  limit: optional({
    ...integer('Entries per list, 1 to 1000; above 1000 means 1000.'),
    minimum: 1,
    default: DEFAULT_DIFF_LIMIT,
    examples: [5],
  }),
});

export async function diffVersions(
  live: LiveDataset,
  diffs: DatasetDiffs,
  query: TextsOf<typeof diffQuery>,
  requester: Requester,
): Promise<Uint8Array> {
  const [from, to] = [query.from, query.to].map((text) => (text === undefined ? undefined : parseVersion(text)));
  const limit = parseLimit(query.limit, LIMIT);
  const { version: current } = requireDataset(live);
  const after = requireVersion(live, to ?? current);
  const before = from === undefined ? versionBefore(live, after) : requireVersion(live, from);
  const outcome = await diffs.diff(before, after, limit, requester);
  if (outcome.kind === 'refused') throw new ApiError('QUEUE_FULL');
  if (outcome.kind === 'failed') throw new ApiError('VERSION_UNREADABLE');
  return outcome.json;
}

export function requireVersion({ versions }: Pick<LiveDataset, 'versions'>, version: number): VersionEntry {
  const entry = versions.find((candidate) => candidate.version === version);
  if (entry === undefined) throw new ApiError('VERSION_NOT_FOUND');
  return entry;
}

/** The highest number below that of `entry`. */
function versionBefore({ versions }: Pick<LiveDataset, 'versions'>, { version }: VersionEntry): VersionEntry {
  const [before] = versions.filter((entry) => entry.version < version).sort((a, b) => b.version - a.version);
  if (before === undefined)
    throw new ApiError('VERSION_NOT_FOUND', {
      extra: { details: { reason: `there is no version before version ${version} to compare it with` } },
    });
  return before;
}

function parseVersion(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new ApiError('INVALID_VERSION');
  return Number(text);
}
