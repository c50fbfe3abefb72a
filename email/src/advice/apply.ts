// What a change would do: the zone with the change is judged and scored like the zone as it is,
// within the budget of the check.
import { type DkimFindings, parseDkimKey } from '../dkim/dkim.ts';
import { isCommonSelector } from '../dkim/selectors.ts';
import { type DmarcFindings, judgeDmarc } from '../dmarc/check.ts';
import { NO_DESTINATIONS } from '../dmarc/destinations.ts';
import { discover, effectivePolicy, readStep, type Step, walkNames } from '../dmarc/discovery.ts';
import type { Answer, MxHost, Resolver } from '../dns/answer.ts';
import type { Wildcard } from '../dns/wildcard.ts';
import { checkMx } from '../mx/mx.ts';
import { providerSelectors, spfTexts } from '../providers.ts';
import { strengthOf } from '../readiness/policy-strength.ts';
import { type Findings, type Score, score } from '../score/score.ts';
import { checkSpf, type ReadRecords } from '../spf/lookups.ts';
import type { Change } from './advice.ts';
import type { MissingProvider } from './spf-senders.ts';

/** What is known of a domain when advice is given. */
export type Examined = {
  readonly domain: string;
  readonly findings: Findings;
  readonly score: Score;
  /** The answer to the TXT question for the domain itself. */
  readonly apex: Answer<string>;
  readonly resolver: Resolver;
  /** The records of the SPF tree. */
  readonly spfRecords: ReadRecords;
  readonly wildcard: Wildcard;
  readonly missing: MissingProvider | undefined;
};

/**
 * Points gained; undefined if the change has errors, is unverified, opens SPF, or lowers the score
 * or a policy.
 */
export async function gainOf(change: Change, examined: Examined): Promise<number | undefined> {
  const findings = await applyChange(change, examined);
  if (findings === undefined) return undefined;
  const gain = score(findings).total - examined.score.total;
  return gain < 0 ? undefined : gain;
}

async function applyChange(change: Change, examined: Examined): Promise<Findings | undefined> {
  const { domain, findings } = examined;
  const { record } = change;
  if (record.type === 'MX') return applyMx(record, examined);
  if (record.name === domain) {
    if (hidesKeys(change, examined)) return undefined;
    const { resolver, spfRecords } = examined;
    const texts = { kind: 'found', records: changedTexts(change, examined), aliases: [] } as const;
    const spf = await checkSpf(domain, texts, resolver, spfRecords);
    return spf.report.is_valid && spf.openToAll === undefined ? { ...findings, spf } : undefined;
  }
  if (record.name === `_dmarc.${domain}` || record.name === findings.dmarc.steps[0]?.alias) {
    const dmarc = applyDmarc(domain, findings.dmarc, record.text);
    return dmarc.report.is_valid && !isWeaker(domain, dmarc, findings.dmarc)
      ? { ...findings, dmarc }
      : undefined;
  }
  return { ...findings, dkim: applyDkim(domain, findings.dkim, record) };
}

async function applyMx(
  record: MxHost,
  { domain, findings, apex, resolver, spfRecords }: Examined,
): Promise<Findings | undefined> {
  const hosts: Answer<MxHost> = { kind: 'found', records: [record], aliases: [] };
  const changed: Resolver = {
    ...resolver,
    mx: async (name) => (name === domain ? hosts : resolver.mx(name)),
  };
  const [mx, spf] = await Promise.all([
    checkMx(domain, hosts, changed),
    // An `mx` in SPF leads to the new host.
    checkSpf(domain, apex, changed, spfRecords),
  ]);
  return mx.report.is_valid ? { ...findings, mx, spf } : undefined;
}

function changedTexts({ record, replaces }: Change, { apex }: Examined): string[] {
  const kept = apex.kind === 'found' ? apex.records.filter((text) => !replaces.includes(text)) : [];
  return record.type === 'TXT' ? [...kept, record.text] : kept;
}

/** The next check would not ask for keys whose provider only the present SPF record shows. */
function hidesKeys(change: Change, examined: Examined): boolean {
  const { findings, apex } = examined;
  const { mx, dkim } = findings;
  if (!dkim.isDefaultMode) return false;
  const selectors = providerSelectors(mx.report.records, spfTexts(changedTexts(change, examined)));
  const before = providerSelectors(
    mx.report.records,
    spfTexts(apex.kind === 'found' ? apex.records : []),
  );
  const lost = before.filter(
    (selector) => !selectors.includes(selector) && !isCommonSelector(selector),
  );
  return dkim.report.some(({ selector, found }) => found && lost.includes(selector));
}

/** Where reports go does not count. */
function applyDmarc(
  domain: string,
  { steps, domainState }: DmarcFindings,
  text: string,
): DmarcFindings {
  const own = readStep(domain, { kind: 'found', records: [text], aliases: [] });
  return judgeDmarc(domain, {
    steps: [own, ...steps.slice(1)],
    state: domainState,
    misplaced: undefined,
    destinations: NO_DESTINATIONS,
  });
}

function applyDkim(
  domain: string,
  dkim: DkimFindings,
  record: Extract<Change['record'], { type: 'TXT' }>,
): DkimFindings {
  const nameOf = (selector: string) => `${selector.toLowerCase()}._domainkey.${domain}`;
  const present = [...dkim.keys, ...dkim.unread].find(
    ({ report }) => nameOf(report.selector) === record.name,
  );
  const selector = present?.report.selector ?? '';
  const origin = { alias: undefined, isByWildcard: false, texts: [record.text] };
  const changed = { ...parseDkimKey(selector, [record.text]), ...origin };
  const isKnown = dkim.keys.some((key) => key === present);
  const keys = isKnown
    ? dkim.keys.map((key) => (key === present ? changed : key))
    : [...dkim.keys, changed];
  return { ...dkim, keys, report: keys.map(({ report }) => report) };
}

/** Whether the policy of the domain, or of a name below it, is weaker than before. */
function isWeaker(domain: string, after: DmarcFindings, before: DmarcFindings): boolean {
  return POLICY_TARGETS.some(
    (target) => protection(domain, target, after) < protection(domain, target, before),
  );
}

/**
 * The domain, a subdomain without a record of its own, and a name below the domain that does not
 * exist.
 */
const POLICY_TARGETS = ['domain', 'subdomain', 'nonexistent'] as const;

function protection(
  domain: string,
  target: (typeof POLICY_TARGETS)[number],
  { steps, domainState }: DmarcFindings,
) {
  const name = target === 'domain' ? domain : `x.${domain}`;
  const absent: Step = { name, kind: 'none' };
  const walked = walkNames(name).map(
    (step) => steps.find((candidate) => candidate.name === step) ?? absent,
  );
  const discovery = discover(name, walked);
  if (discovery.kind !== 'record') return 0;
  const states = { domain: domainState, subdomain: 'exists', nonexistent: 'nxdomain' } as const;
  const state = states[target];
  return strengthOf(
    effectivePolicy(discovery.record, discovery.recordDomain !== name, state),
    discovery.record,
  );
}
