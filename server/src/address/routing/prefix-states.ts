/** RPKI states of the prefixes that a network announces, and of the parts of a prefix. */
import { setImmediate } from 'node:timers/promises';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { prefixState } from './routing.ts';
import type { RpkiState, VrpTable } from './vrps.ts';

/** Prefixes by state. `derived`: made from ranges, so that RPKI says nothing about them. */
export type NetworkRouting = { rpki: { valid: number; invalid: number; not_found: number; derived: number } };

/** About a millisecond: networks announce up to twenty thousand prefixes. */
const PREFIXES_PER_TURN = 200;

export async function countStates(dataset: Dataset, asn: number, vrps: VrpTable): Promise<NetworkRouting> {
  const rpki = { valid: 0, invalid: 0, not_found: 0, derived: 0 };
  const { ipv4, ipv6 } = dataset.prefixesOf(asn);
  let left = PREFIXES_PER_TURN;
  for (const prefix of [...ipv4, ...ipv6]) {
    rpki[prefixState(dataset, prefix, asn, vrps) ?? 'derived']++;
    if (--left > 0) continue;
    left = PREFIXES_PER_TURN;
    await setImmediate();
  }
  return { rpki };
}

/** The content of a prefix as JSON, with the state of each part. */
export function withPartStates(json: string, dataset: Dataset, vrps: VrpTable): string {
  const content = JSON.parse(json) as { parts: PartState[] };
  for (const part of content.parts) {
    const state = prefixState(dataset, part.prefix, part.asn, vrps);
    if (state === undefined) part.prefix_is_derived = true;
    else part.rpki = state;
  }
  return JSON.stringify(content);
}

type PartState = { prefix: string; asn: number; rpki?: RpkiState; prefix_is_derived?: true };
