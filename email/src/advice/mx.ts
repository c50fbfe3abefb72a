/**
 * Advice on MX. No mail host is invented: only the domain's own host and the null MX are proposed.
 */
import type { MailHost, MxFindings } from '../mx/mx.ts';
import { looksUnused } from '../readiness/mail-role.ts';
import { registrableDomain } from '../registrable-domain.ts';
import { MAX_POINTS } from '../report.ts';
import type { Findings, Score } from '../score/score.ts';
import { isOnlyMinusAll } from '../spf/spf-record.ts';
import { type Change, type Draft, RANKS } from './advice.ts';

export function adviseMx(domain: string, findings: Findings, score: Score): Draft[] {
  const { mx, spf, dkim } = findings;
  const { state, report, duplicates, privateHosts } = mx;
  const points = MAX_POINTS.mx - score.mx;
  const isFaulty = state === 'partly' || state === 'unusable';
  const isOnlyLocal = mx.hosts.length > 0 && mx.hosts.every(isLocal);
  const drafts: Draft[] = [];
  if (state === 'unverified')
    drafts.push({
      code: 'unverified',
      detail: { part: 'MX', errors: report.errors },
      rank: points,
    });
  // What looks unused has a recipe of its own.
  else if ((state === 'implicit' || state === 'none') && !looksUnused(findings))
    drafts.push(...adviseWithoutMx(domain, spf.alias, mx));
  else if (isFaulty && !isOnlyLocal)
    drafts.push({
      code: 'mx_faults',
      detail: { domain, errors: report.errors, isDead: state === 'unusable' },
      points,
    });
  else if (report.errors.length > 0 && !isFaulty && !looksUnused(findings))
    drafts.push({ code: 'mx_too_many', detail: { domain, errors: report.errors } });

  if (
    state === 'null' &&
    spf.records.length === 1 &&
    !isOnlyMinusAll(spf.report.raw) &&
    !looksUnused(findings)
  ) {
    const hasKey = dkim.report.some(({ is_valid }) => is_valid);
    drafts.push({ code: 'mx_null_but_sends', detail: { domain, hasKey } });
  }
  const local = mx.hosts.find(isLocal);
  if (local !== undefined)
    drafts.push({
      code: 'mx_localhost',
      detail: { host: local.host },
      points: isOnlyLocal ? points : 0,
    });
  const reachable = mx.hosts.filter(({ addresses }) => addresses.length > 0);
  if (
    reachable.length > 0 &&
    reachable.every(({ addresses }) => addresses.every((address) => address.includes(':')))
  )
    drafts.push({ code: 'mx_only_ipv6', detail: { hosts: reachable.map(({ host }) => host) } });
  if (spf.alias !== undefined && registrableDomain(domain) === domain)
    drafts.push({
      code: 'apex_alias',
      detail: { domain, alias: spf.alias },
      rank: RANKS.byWildcard,
    });
  if (duplicates.length > 0) drafts.push({ code: 'mx_duplicates', detail: { hosts: duplicates } });
  if (privateHosts.length > 0) drafts.push({ code: 'mx_private', detail: { hosts: privateHosts } });
  return drafts;
}

function isLocal({ host, addresses }: MailHost): boolean {
  return LOCAL.test(host) || addresses.some((address) => /^127\.|^::1$/.test(address));
}

const LOCAL = /^localhost(?:\.|$)|\.localhost$|\.localdomain$/i;

/** An alias cannot have other records (RFC 1034 §3.6.2), so nothing can be published at one. */
function adviseWithoutMx(
  domain: string,
  alias: string | undefined,
  { state, report }: MxFindings,
): Draft[] {
  const [error] = report.errors;
  const goesTo = error?.code === 'no_mx_records' ? error.detail.mailGoesTo : 'nowhere';
  const mailGoesTo = goesTo === 'private address' ? goesTo : 'nowhere';
  if (alias !== undefined) return [{ code: 'mx_null', detail: { domain, mailGoesTo, alias } }];
  if (state === 'implicit') {
    const change = mxChange(domain, 10, domain);
    return [{ code: 'mx_name_own_host', detail: { domain }, change, onlyWith: 'points' }];
  }
  return [{ code: 'mx_null', detail: { domain, mailGoesTo }, change: mxChange(domain, 0, '.') }];
}

export function mxChange(domain: string, preference: number, exchange: string): Change {
  return { record: { name: domain, type: 'MX', preference, exchange }, replaces: [] };
}
