/** RPKI states of the prefixes that a network announces, and of the parts of a prefix. */
import { setImmediate } from 'node:timers/promises';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { parseCidr } from '@whence/dataset/prefix';
import { originState, type RpkiState, type VrpTable } from './vrps.ts';

/** Prefixes by state. */
export type NetworkRouting = { rpki: { valid: number; invalid: number; not_found: number } };

/** About a millisecond: networks announce up to twenty thousand prefixes. */
const PREFIXES_PER_TURN = 200;

export async function countStates(dataset: Dataset, asn: number, vrps: VrpTable): Promise<NetworkRouting> {
  const rpki = { valid: 0, invalid: 0, not_found: 0 };
  const { ipv4, ipv6 } = dataset.prefixesOf(asn);
  let left = PREFIXES_PER_TURN;
  for (const prefix of [...ipv4, ...ipv6]) {
    const state = stateOf(vrps, prefix, asn);
    if (state !== undefined) rpki[state]++;
    if (--left > 0) continue;
    left = PREFIXES_PER_TURN;
    await setImmediate();
  }
  return { rpki };
}

/** The content of a prefix as JSON, with the state of each part. */
export function withPartStates(json: string, vrps: VrpTable): string {
  const content = JSON.parse(json) as { parts: { prefix: string; asn: number; rpki?: RpkiState }[] };
  for (const part of content.parts) {
    const state = stateOf(vrps, part.prefix, part.asn);
    if (state !== undefined) part.rpki = state;
  }
  return JSON.stringify(content);
}

function stateOf(vrps: VrpTable, prefix: string, asn: number): RpkiState | undefined {
  const cidr = parseCidr(prefix);
  return cidr && originState(vrps.covering(cidr.address, cidr.length), cidr.length, asn);
}
