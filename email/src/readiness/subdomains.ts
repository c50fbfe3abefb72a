// Subdomains that send mail: a stricter policy of the domain also holds for those without one of
// their own (RFC 9989 §4.10.1).
import { selectDmarc } from '../dmarc/dmarc.ts';
import type { Answer, MxHost, Resolver } from '../dns/answer.ts';
import { isSame } from '../dns/wildcard.ts';
import type { Findings, Subdomains } from '../score/score.ts';
import { parseSpf, selectSpf } from '../spf/spf.ts';
import { isOnlyMinusAll } from '../spf/spf-record.ts';
import { isPublicSuffix, isSetUpForNoMail, looksUnused } from './mail-role.ts';
import { readinessOf } from './readiness.ts';

/** Where mail services and newsletters are put, the most common first. */
const COMMON_NAMES = ['mail', 'news', 'newsletter', 'email', 'mg', 'send', 'em', 'info'];

/** Whether a step will be offered that also holds for subdomains. */
export function dependsOnSubdomains(domain: string, findings: Findings): boolean {
  const { dmarc } = findings;
  if (isPublicSuffix(domain) || dmarc.isUnverified) return false;
  if (looksUnused(findings)) return !isSetUpForNoMail(findings);
  const [own] = dmarc.steps;
  const isOwn = own?.kind === 'one' && !/;\s*sp\s*=/i.test(own.record.raw);
  const { steps, obstacles } = readinessOf(domain, findings);
  return isOwn && obstacles.length === 0 && steps.some((step) => step !== '-all');
}

/**
 * Each name costs two questions, and one more if it sends. `sentinel` is a label that no zone has.
 */
export async function findSubdomains(
  domain: string,
  { questions, sentinel }: { readonly questions: number; readonly sentinel: string },
  resolver: Resolver,
): Promise<Subdomains> {
  const count = Math.max(0, Math.floor(questions / 2));
  const names = COMMON_NAMES.slice(0, count).map((label) => `${label}.${domain}`);
  // Asked before: it shows a wildcard, whose records are not those of a name.
  const wildcard = await resolver.txt(`${sentinel}.${domain}`);
  const senders = await Promise.all(
    names.map(async (name) => {
      const [txt, mx] = await Promise.all([resolver.txt(name), resolver.mx(name)]);
      if (txt.kind === 'found' && isSame(txt, wildcard)) return [];
      return sends(txt, mx) ? [name] : [];
    }),
  );
  const sending = senders.flat().slice(0, MAX_POLICIES);
  const governed = await Promise.all(sending.map((name) => hasPolicy(name, resolver)));
  return { queried: names, sending: sending.filter((_, i) => governed[i] === false) };
}

/**
 * Maximum number of sending names whose own policy is looked up. With more of them, some policies
 * would stay unknown.
 */
const MAX_POLICIES = 2;

/** SPF that lets a server send, or an MX record beside no SPF record that denies it. */
function sends(txt: Answer<string>, mx: Answer<MxHost>): boolean {
  const spf = txt.kind === 'found' ? selectSpf(txt.records) : { kind: 'none' as const };
  if (spf.kind === 'one') return !isOnlyMinusAll(spf.raw) && parseSpf(spf.raw).terms.length > 0;
  if (spf.kind === 'multiple') return true;
  return mx.kind === 'found' && mx.records.some(({ exchange }) => exchange !== '.');
}

async function hasPolicy(name: string, resolver: Resolver): Promise<boolean> {
  const answer = await resolver.txt(`_dmarc.${name}`);
  return answer.kind === 'found' && selectDmarc(answer.records).kind === 'one';
}
