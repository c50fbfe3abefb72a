// Names that the records refer to and that do not exist. Where even the registrable domain is free,
// another owner can register it, and then receives the mail, signs it, or may send it.
import type { Resolver } from '../dns/answer.ts';
import { isSpecialUse } from '../dns/special-use.ts';
import type { Absence } from '../findings/finding-text.ts';
import { providerOfKey } from '../providers.ts';
import { registrableDomain } from '../registrable-domain.ts';
import type { DanglingName, Findings, Takeover } from '../score/score.ts';
import type { SpfNode } from '../spf/lookups.ts';

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
  const names = [
    ...danglingNames(domain, findings, policyHost),
    ...(await danglingHosts(findings.spf.tree, resolver)),
  ];
  const candidates = names.flatMap((name) => {
    const registrable = registrableDomain(name.target);
    const isOther = registrable !== undefined && registrable !== own && !isSpecialUse(registrable);
    return isOther ? [{ ...name, registrable }] : [];
  });
  const distinct = [...new Set(candidates.map(({ registrable }) => registrable))].slice(
    0,
    MAX_ASKED,
  );
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
    else if (typeof absence === 'object')
      names.push({ kind, name: target, target: absence.alias, isAlias: true });
  };
  for (const { code, detail } of spf.report.validation_errors) {
    if (code !== 'include_not_found' && code !== 'redirect_not_found') continue;
    if (detail.absence !== 'impossible name')
      add('include', detail.recordOf, detail.name, detail.absence);
  }
  for (const { code, detail } of mx.report.errors)
    if (code === 'mx_target_missing' && detail.absence !== 'null MX with a preference')
      add('MX host', domain, detail.host, detail.absence);
  for (const { name, target } of dkim.dangling)
    if (providerOfKey(target) === undefined) names.push({ kind: 'DKIM selector', name, target });
  const [own] = dmarc.steps;
  if (dmarc.isOwnAliasMissing && own?.alias !== undefined)
    names.push({ kind: 'DMARC alias', name: `_dmarc.${domain}`, target: own.alias });
  // A host that has not agreed may not exist either, which was not asked of all.
  for (const { host, arrival } of [...dmarc.destinations.rua, ...dmarc.destinations.ruf])
    if (arrival.kind === 'no such host' || arrival.kind === 'not authorized')
      names.push({ kind: 'report host', name: `_dmarc.${dmarc.recordDomain}`, target: host });
  if (policyHost !== undefined)
    names.push({ kind: 'policy host', name: `mta-sts.${domain}`, target: policyHost });
  return names;
}

// Names by which SPF lets servers pass, at any depth. Of a name with a macro, and of `ptr`, only
// the end is fixed: whether that is free is all that can be asked.
async function danglingHosts(
  { name, children }: SpfNode,
  resolver: Resolver,
): Promise<DanglingName[]> {
  const passing = children.filter(({ via }) => !/^[-~?]/.test(via));
  const dangling = passing.map(async (child): Promise<DanglingName[]> => {
    const [, mechanism = ''] = /^\+?([a-z]+)/i.exec(child.via) ?? [];
    const isRecord = /^(?:include|redirect)$/i.test(mechanism);
    if (!child.name.includes('%') && isRecord) return danglingHosts(child, resolver);
    const target = child.name.replace(/^.*%(?:\{[^}]*\}|.)[^.]*\.?/, '').replace(/\.$/, '');
    const isAsked = target === child.name && !/^ptr$/i.test(mechanism);
    const answer =
      isAsked && (await (/^mx$/i.test(mechanism) ? resolver.mx(target) : resolver.a(target)));
    if (answer !== false && answer.kind !== 'nxdomain') return [];
    const alias = answer === false ? undefined : answer.alias;
    const kind = isRecord ? 'include' : 'SPF host';
    return alias === undefined
      ? [{ kind, name, target }]
      : [{ kind, name: target, target: alias, isAlias: true }];
  });
  return (await Promise.all(dangling)).flat();
}
