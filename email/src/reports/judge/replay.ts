/**
 * What a receiver would do with the messages of a row under other records: SPF as the engine
 * evaluates the changed zone, DKIM as the receiver verified it.
 */
import type { SpfEvaluator } from '../../spf/evaluate.ts';
import { type Alignment, isAligned, isDkimAligned, spfIdentities } from '../alignment.ts';
import type { ReportShape } from '../report.ts';

export type ReplayedZone = {
  /** SPF of the domain and of names below it, by name. */
  readonly spf: ReadonlyMap<string, SpfEvaluator>;
  readonly alignment: Alignment;
};

/**
 * `present` is the zone under which the rows were reported, as far as is known; `changed` the one
 * to replay them in.
 */
export function createReplay(present: ReplayedZone, changed: ReplayedZone) {
  const results = new Map<string, Map<string, boolean | undefined>>();
  /** Undefined where the engine cannot tell, and what the receiver saw holds. */
  const spfPasses = (name: string, address: string): boolean | undefined => {
    const ofName = results.get(name) ?? new Map<string, boolean | undefined>();
    results.set(name, ofName);
    if (ofName.has(address)) return ofName.get(address);
    const result = changed.spf.get(name)?.resultOf(address) ?? 'unknown';
    // Many receivers are lenient about limits. Only a fault that the change brings is held against
    // it.
    const isOldFault =
      result === 'permerror' && present.spf.get(name)?.resultOf(address) === 'permerror';
    const passes = result === 'unknown' || isOldFault ? undefined : result === 'pass';
    ofName.set(address, passes);
    return passes;
  };
  return {
    passes(row: ReportShape & { readonly address: string }): boolean {
      return isDkimKept(row, present, changed) || isSpfKept(row, present, changed, spfPasses);
    },
  };
}

/**
 * A reporter that says it passed, and lists nothing that is aligned, is believed: no record changes
 * what it saw.
 */
function isDkimKept(row: ReportShape, present: ReplayedZone, changed: ReplayedZone): boolean {
  const { adkim } = changed.alignment;
  if (row.dkimPassed) return isDkimAligned(row, adkim) || !isDkimAligned(row, 'r');
  return adkim === 'r' && present.alignment.adkim === 's' && isDkimAligned(row, adkim);
}

function isSpfKept(
  row: ReportShape & { readonly address: string },
  present: ReplayedZone,
  { alignment: { aspf } }: ReplayedZone,
  spfPasses: (name: string, address: string) => boolean | undefined,
): boolean {
  const aligned = spfIdentities(row).filter(({ domain }) => isAligned(domain, row.headerFrom, 'r'));
  if (aligned.length === 0) return row.spfPassed;
  const isRelaxed = aspf === 'r' && present.alignment.aspf === 's';
  return aligned.some(({ domain, result }) => {
    if (!isAligned(domain, row.headerFrom, aspf)) return false;
    const reported = (row.spfPassed || isRelaxed) && result === 'pass';
    return spfPasses(domain, row.address) ?? reported;
  });
}
