/**
 * What a receiver would do with the messages of a row under other records: SPF as the engine evaluates the changed zone,
 * DKIM as the receiver verified it.
 */
import type { SpfEvaluator } from '../spf/evaluate.ts';
import { type Alignment, isAligned, isDkimAligned, spfIdentities } from './classify.ts';
import type { ReportShape } from './report.ts';

export type ReplayedZone = {
  readonly domain: string;
  readonly spf: SpfEvaluator;
  readonly alignment: Alignment;
};

/** `present` is the zone under which the rows were reported, as far as is known; `changed` the one to replay them in. */
export function createReplay(present: ReplayedZone, changed: ReplayedZone) {
  const results = new Map<string, boolean | undefined>();
  /** Undefined where the engine cannot tell, and what the receiver saw holds. */
  const spfPasses = (address: string): boolean | undefined => {
    if (results.has(address)) return results.get(address);
    const result = changed.spf.resultOf(address);
    // Many receivers are lenient about limits. Only a fault that the change brings is held against it.
    const isOldFault = result === 'permerror' && present.spf.resultOf(address) === 'permerror';
    const passes = result === 'unknown' || isOldFault ? undefined : result === 'pass';
    results.set(address, passes);
    return passes;
  };
  return {
    passes(row: ReportShape & { readonly address: string }): boolean {
      return isDkimKept(row, present, changed) || isSpfKept(row, changed, spfPasses);
    },
  };
}

function isDkimKept(row: ReportShape, present: ReplayedZone, changed: ReplayedZone): boolean {
  const { adkim } = changed.alignment;
  if (!row.dkimPassed) return adkim === 'r' && present.alignment.adkim === 's' && isDkimAligned(row, adkim);
  return adkim === present.alignment.adkim || isDkimAligned(row, adkim);
}

function isSpfKept(
  row: ReportShape & { readonly address: string },
  { domain, alignment }: ReplayedZone,
  spfPasses: (address: string) => boolean | undefined,
): boolean {
  const identities = spfIdentities(row);
  if (identities.length === 0) return row.spfPassed;
  return identities.some((identity) => {
    if (!isAligned(identity.domain, row.headerFrom, alignment.aspf)) return false;
    const reported = row.spfPassed && identity.result === 'pass';
    return identity.domain === domain ? (spfPasses(row.address) ?? reported) : reported;
  });
}
