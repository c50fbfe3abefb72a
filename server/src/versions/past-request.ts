/**
 * Requests for an earlier version, or for the history of an address: how they are read, refused and
 * answered.
 */
import { type Address, formatAddress } from '@whence/dataset/address';
import { inUseFor, type WantedVersion } from '@whence/dataset/versions/past';
import { isDay } from '../day.ts';
import { ApiError } from '../http/errors.ts';
import { integer, object, optional, type QueryOf, string } from '../http/json-schema.ts';
import type { Requester } from '../limits/cost-classes.ts';
import type { ServedDataset } from '../lookup/live-dataset.ts';
import type { PastLookups } from './past-lookups.ts';

export const versionQuery = object({
  // Without examples: together with `include` they are refused.
  version: optional(
    integer(
      'Number of an earlier version of the dataset, which answers instead of the current one.',
    ),
  ),
  at: optional({
    ...string(
      'A day in UTC, such as 2026-11-15: the version that was the newest when it ended answers.',
    ),
    format: 'date',
  }),
});

export function parseWanted({
  version,
  at,
}: QueryOf<typeof versionQuery>): WantedVersion | undefined {
  if (version === undefined && at === undefined) return undefined;
  if (version === undefined && at !== undefined && isDay(at)) return { day: at };
  if (version === undefined || at !== undefined || !/^[0-9]{1,15}$/.test(version))
    throw new ApiError('INVALID_VERSION');
  return { version: Number(version) };
}

type PastAnswer =
  | { readonly kind: 'in use' }
  | { readonly kind: 'found'; readonly version: number; readonly json?: string };

export async function findPast(
  past: PastLookups,
  served: ServedDataset,
  address: Address,
  {
    wanted,
    explained,
    nowMs,
  }: { readonly wanted: WantedVersion; readonly explained: boolean; readonly nowMs: number },
  requester: Requester,
): Promise<PastAnswer> {
  const ip = formatAddress(address);
  const task = {
    kind: 'record',
    ip,
    inUse: inUseFor(served.dataset, address),
    wanted,
    explained,
    nowMs,
  } as const;
  const { record } = await past.ask(task, requester);
  if (record.kind === 'not kept') throw new ApiError('VERSION_NOT_FOUND');
  return record;
}

export async function historyJson(
  past: PastLookups,
  served: ServedDataset,
  address: Address,
  requester: Requester,
): Promise<string> {
  const ip = formatAddress(address);
  const { changes } = await past.ask(
    { kind: 'history', ip, inUse: inUseFor(served.dataset, address) },
    requester,
  );
  const spans = changes.map(({ record, ...span }) => {
    const text = JSON.stringify(span);
    return record === undefined ? text : `${text.slice(0, -1)},"record":${record}}`;
  });
  return `{"ip":"${ip}","changes":[${spans.join()}]}`;
}
