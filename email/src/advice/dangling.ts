/**
 * Names that the domain's records refer to and that do not exist. Where even the registrable domain of such a name is
 * free, another owner can register it: a host of theirs then receives the mail, signs it, or may send it.
 */
import type { Resolver } from '../dns/answer.ts';
import { isSpecialUse } from '../dns/special-use.ts';
import type { Absence } from '../findings/finding.ts';
import { registrableDomain } from '../registrable-domain.ts';
import type { DanglingName, Findings, Takeover } from '../score/score.ts';

type Examined = Pick<Findings, 'mx' | 'spf' | 'dkim' | 'dmarc'>;

/** Each costs a question. */
const MAX_ASKED = 5;

/** `policyHost` is what the host of the MTA-STS policy is an alias of, if that does not exist. */
export async function findTakeovers(
  domain: string,
  findings: Examined,
  policyHost: string | undefined,
  resolver: Resolver,
): Promise<Takeover[]> {
  const own = registrableDomain(domain);
  const candidates = danglingNames(domain, findings, policyHost).flatMap((name) => {
    const registrable = registrableDomain(name.target);
    const isOther = registrable !== undefined && registrable !== own && !isSpecialUse(registrable);
    return isOther ? [{ ...name, registrable }] : [];
  });
  const distinct = [...new Set(candidates.map(({ registrable }) => registrable))].slice(0, MAX_ASKED);
  const free = await Promise.all(distinct.map((name) => isFree(name, resolver)));
  return candidates.filter(({ registrable }) => free[distinct.indexOf(registrable)] === true);
}

/** RFC 8020: a name that does not exist for one type exists for none. */
async function isFree(name: string, resolver: Resolver): Promise<boolean> {
  const answer = await resolver.txt(name);
  return answer.kind === 'nxdomain' && answer.alias === undefined;
}

function danglingNames(
  domain: string,
  { mx, spf, dkim, dmarc }: Examined,
  policyHost: string | undefined,
): DanglingName[] {
  const names: DanglingName[] = [];
  const add = (kind: DanglingName['kind'], name: string, target: string, absence: Absence) => {
    if (absence === 'no such name') names.push({ kind, name, target });
    else if (typeof absence === 'object') names.push({ kind, name: target, target: absence.alias });
  };
  for (const { code, detail } of spf.report.validation_errors) {
    if (code !== 'include_not_found' && code !== 'redirect_not_found') continue;
    if (detail.absence !== 'impossible name') add('include', detail.recordOf, detail.name, detail.absence);
  }
  for (const { code, detail } of mx.report.errors)
    if (code === 'mx_target_missing' && detail.absence !== 'null MX with a preference')
      add('MX host', domain, detail.host, detail.absence);
  for (const { name, target } of dkim.dangling) names.push({ kind: 'DKIM selector', name, target });
  const [own] = dmarc.steps;
  if (dmarc.isOwnAliasMissing && own?.alias !== undefined)
    names.push({ kind: 'DMARC alias', name: `_dmarc.${domain}`, target: own.alias });
  for (const { via, name: target } of spf.tree.children)
    if (spf.voidTerms.includes(via) && /^\+?(?:a|mx):/i.test(via) && !target.includes('%'))
      names.push({ kind: 'SPF host', name: domain, target });
  // A host that has not agreed may not exist either, which was not asked of all.
  for (const { host, arrival } of [...dmarc.destinations.rua, ...dmarc.destinations.ruf])
    if (arrival.kind === 'no such host' || arrival.kind === 'not authorized')
      names.push({ kind: 'report host', name: `_dmarc.${dmarc.recordDomain}`, target: host });
  if (policyHost !== undefined) names.push({ kind: 'policy host', name: `mta-sts.${domain}`, target: policyHost });
  return names;
}
