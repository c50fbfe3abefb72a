/** Advice on MX. No mail host is invented: only the domain's own host and the null MX are proposed. */
import type { MxFindings } from '../mx/mx.ts';
import { type Findings, MAX_POINTS, type Score } from '../report/score.ts';
import type { Change, Draft } from './advice.ts';
import { isOnlyMinusAll } from './spf-record.ts';

export function adviseMx(domain: string, { mx, spf }: Findings, score: Score): Draft[] {
  const { state, report, duplicates, privateHosts } = mx;
  const points = MAX_POINTS.mx - score.mx;
  const drafts: Draft[] = [];
  if (state === 'unverified')
    drafts.push({ code: 'unverified', detail: { part: 'MX', errors: report.errors }, points: 0, rank: points });
  else if (state === 'implicit' || state === 'none') drafts.push(...adviseWithoutMx(domain, spf.alias, mx));
  else if (state === 'partly' || state === 'unusable')
    drafts.push({ code: 'mx_faults', detail: { errors: report.errors }, points });
  else if (report.errors.length > 0)
    drafts.push({ code: 'mx_too_many', detail: { domain, errors: report.errors }, points: 0 });

  if (state === 'null' && spf.records.length === 1 && !isOnlyMinusAll(spf.report.raw))
    drafts.push({
      code: 'mx_null_but_sends',
      detail: { domain },
      points: 0,
      ...(spf.alias === undefined && {
        change: { record: { name: domain, type: 'TXT', text: 'v=spf1 -all' }, replaces: spf.records },
      }),
    });
  if (duplicates.length > 0) drafts.push({ code: 'mx_duplicates', detail: { hosts: duplicates }, points: 0 });
  if (privateHosts.length > 0) drafts.push({ code: 'mx_private', detail: { hosts: privateHosts }, points: 0 });
  return drafts;
}

/** An alias cannot have other records (RFC 1034 §3.6.2), so nothing can be published at one. */
function adviseWithoutMx(domain: string, alias: string | undefined, { report }: MxFindings): Draft[] {
  const [error] = report.errors;
  const goesTo = error?.code === 'no_mx_records' ? error.detail.mailGoesTo : 'nowhere';
  const mailGoesTo = goesTo === 'own address' || goesTo === 'private address' ? goesTo : 'nowhere';
  if (alias !== undefined) return [{ code: 'mx_null', detail: { domain, mailGoesTo, alias }, points: 0 }];
  const host = (preference: number, exchange: string): Change => ({
    record: { name: domain, type: 'MX', preference, exchange },
    replaces: [],
  });
  const ownHost: Draft = {
    code: 'mx_name_own_host',
    detail: { domain },
    points: 0,
    change: host(10, domain),
    isOnlyForPoints: true,
  };
  const nullMx: Draft = { code: 'mx_null', detail: { domain, mailGoesTo }, points: 0, change: host(0, '.') };
  return mailGoesTo === 'own address' ? [ownHost, nullMx] : [nullMx];
}
