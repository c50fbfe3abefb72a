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
 * `present` are the records under which the rows were reported, as far as is known; `changed` is the
 * zone to replay them in.
 */
export function createReplay(present: ReplayedZone['spf'], changed: ReplayedZone) {
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
      result === 'permerror' && present.get(name)?.resultOf(address) === 'permerror';
    const passes = result === 'unknown' || isOldFault ? undefined : result === 'pass';
    ofName.set(address, passes);
    return passes;
  };
  return {
    passes(row: ReportShape & { readonly address: string }): boolean {
      return isDkimKept(row, changed) || isSpfKept(row, changed, spfPasses);
    },
  };
}

/**
 * A reporter that says it passed, and lists nothing that is aligned, is believed: no record changes
 * what it saw. One that says it failed, although a name was verified that only strict alignment
 * does not accept, saw a record that asked for that.
 */
function isDkimKept(row: ReportShape, { alignment: { adkim } }: ReplayedZone): boolean {
  if (row.dkimPassed) return isDkimAligned(row, adkim) || !isDkimAligned(row, 'r');
  return adkim === 'r' && isDkimAligned(row, 'r') && !isDkimAligned(row, 's');
}

function isSpfKept(
  row: ReportShape & { readonly address: string },
  { alignment: { aspf } }: ReplayedZone,
  spfPasses: (name: string, address: string) => boolean | undefined,
): boolean {
  const aligned = spfIdentities(row).filter(({ domain }) => isAligned(domain, row.headerFrom, 'r'));
  if (aligned.length === 0) return row.spfPassed;
  return aligned.some(({ domain, result }) => {
    if (!isAligned(domain, row.headerFrom, aspf)) return false;
    const wasStrict = !isAligned(domain, row.headerFrom, 's');
    return spfPasses(domain, row.address) ?? (result === 'pass' && (row.spfPassed || wasStrict));
  });
}
