/**
 * Advice on SPF. A record that was not in force until now, because it was missing, broken or open, is proposed with
 * `~all`: mail from a server that was forgotten is marked and not refused. `-all` is the step after that.
 */
import { hasCode } from '../findings/finding.ts';
import { type Findings, MAX_POINTS, type Score } from '../report/score.ts';
import { SPF_LIMIT_CODES } from '../spf/lookups.ts';
import type { AdviceDetails, Change, Draft } from './advice.ts';
import { includeFor } from './mail-providers.ts';
import { sendsNoMail } from './no-mail.ts';
import { isAll, MAX_RECORD_BYTES, recordOf, repairedTerms, withAll } from './spf-record.ts';

export function adviseSpf(domain: string, findings: Findings, score: Score): Draft[] {
  const { spf } = findings;
  const { report, isUnverified } = spf;
  if (isUnverified) {
    const detail = { part: 'SPF', errors: report.validation_errors } as const;
    return [{ code: 'unverified', detail, points: 0, rank: MAX_POINTS.spf - score.spf }];
  }
  return [...adviseRecord(domain, findings, score), ...adviseOddities(domain, findings)];
}

function adviseRecord(domain: string, findings: Findings, score: Score): Draft[] {
  const { spf } = findings;
  const { report } = spf;
  const change = (text: string | undefined, replaces: readonly string[] = spf.records) => {
    if (text === undefined || text.length > MAX_RECORD_BYTES || spf.alias !== undefined) return {};
    return { change: { record: { name: domain, type: 'TXT', text }, replaces } satisfies Change };
  };
  const all = sendsNoMail(findings) ? '-' : '~';

  if (spf.opening !== undefined) {
    const draft = { code: 'anyone_can_send', detail: { domain, opening: spf.opening } } as const;
    return [{ ...draft, points: MAX_POINTS.spf - 5, rank: FIRST, ...change(closedRecord(findings, all)) }];
  }
  if (spf.records.length === 0) {
    if (spf.lookalike !== undefined) {
      const terms = repairedTerms(spf.lookalike);
      const text = terms && withAll(terms, all);
      const detail = { domain, raw: spf.lookalike, isBesideRecord: false };
      return [{ code: 'spf_lookalike', detail, points: gainWith(score, all), ...change(text, [spf.lookalike]) }];
    }
    return [adviseFirst(domain, findings, change)];
  }
  if (spf.records.length > 1) {
    const detail = { domain, count: spf.records.length };
    return [{ code: 'spf_merge', detail, points: gainWith(score, all), ...change(mergedRecord(spf.records, all)) }];
  }
  const isOver = hasCode(report.validation_errors, ...SPF_LIMIT_CODES);
  const faults = report.validation_errors.filter(({ code }) => !SPF_LIMIT_CODES.includes(code));
  if (report.is_valid) return adviseAll(domain, findings, change);
  const drafts: Draft[] = [];
  if (faults.length > 0) {
    const terms = repairedTerms(report.raw)?.filter((term) => !isWithoutRecord(term, findings));
    const text = isOver ? undefined : terms && withAll(terms, all);
    const detail = { errors: faults, isSoftened: text !== undefined && report.all_qualifier === '-' && all === '~' };
    drafts.push({ code: 'spf_faults', detail, points: gainWith(score, report.all_qualifier), ...change(text) });
  }
  if (isOver) {
    const detail = { lookups: report.dns_lookup_count, voidLookups: spf.voidLookups };
    drafts.push({ code: 'spf_limits', detail, points: gainWith(score, report.all_qualifier) });
  }
  return drafts;
}

/** Above everything else: as long as anyone can send as the domain, nothing else protects it. */
const FIRST = 1000;

type ChangeOf = (text: string | undefined, replaces?: readonly string[]) => { change?: Change };

function gainWith({ spf }: Score, qualifier: string): number {
  return Math.max(0, ({ '-': 25, '~': 20, '?': 10 }[qualifier] ?? 0) - spf);
}

function adviseFirst(domain: string, findings: Findings, change: ChangeOf): Draft {
  const { mx, spf } = findings;
  const publish = (senders: AdviceDetails['spf_publish']['senders'], text?: string): Draft => {
    const detail = { domain, senders, ...(spf.alias !== undefined && { alias: spf.alias }) };
    return { code: 'spf_publish', detail, points: 0, ...change(text, []) };
  };
  if (mx.state === 'null' || mx.state === 'none') return publish('none', 'v=spf1 -all');
  const { senders, terms } = likelySenders(findings);
  return terms.length === 0 ? publish('unknown') : publish(senders, withAll(terms, '~'));
}

/** Who sends the mail of a domain that has told only where it receives mail. */
function likelySenders({ mx }: Findings): { senders: AdviceDetails['spf_publish']['senders']; terms: string[] } {
  if (mx.state === 'implicit') return { senders: 'own address', terms: ['a'] };
  if (mx.state !== 'valid' && mx.state !== 'partly') return { senders: 'unknown', terms: [] };
  const includes = [...new Set(mx.report.records.flatMap((host) => includeFor(host) ?? []))];
  return includes.length > 0
    ? { senders: 'provider', terms: includes.map((name) => `include:${name}`) }
    : { senders: 'MX hosts', terms: ['mx'] };
}

/** Without the term that lets everyone pass. */
function closedRecord(findings: Findings, all: '-' | '~'): string | undefined {
  const { opening, report, records } = findings.spf;
  if (opening?.kind !== 'term' || records.length !== 1 || /^redirect=/i.test(opening.ownTerm)) return undefined;
  const terms = report.mechanisms.filter((term) => term !== opening.ownTerm || isAll(term));
  const isEmpty = terms.every(isAll);
  return withAll(isEmpty && all === '~' ? [...likelySenders(findings).terms, ...terms] : terms, all);
}

/** The terms of all records, each once. A redirect cannot be merged. */
function mergedRecord(records: readonly string[], all: '-' | '~'): string | undefined {
  const terms = records.map(repairedTerms);
  if (terms.some((list) => list?.every((term) => !/^redirect=/i.test(term)) !== true)) return undefined;
  const distinct = new Map(terms.flatMap((list) => list ?? []).map((term) => [term.toLowerCase(), term]));
  return withAll(
    [...distinct.values()].filter((term) => !isAll(term)),
    all,
  );
}

/** An include that leads nowhere lets no sender pass, and makes receivers ignore the whole record. */
function isWithoutRecord(term: string, { spf }: Findings): boolean {
  const isSame = (via: string) => via.replace(/\.$/, '').toLowerCase() === term.toLowerCase();
  return spf.tree.children.some(({ via, errors }) => isSame(via) && hasCode(errors, 'include_not_found'));
}

function adviseAll(domain: string, { spf, mx }: Findings, change: ChangeOf): Draft[] {
  const { all_qualifier, mechanisms } = spf.report;
  const isRedirected = !mechanisms.some(isAll) && !spf.hasNoAll && all_qualifier !== '-';
  if (isRedirected || (spf.hasNoAll && mechanisms.some((term) => /^redirect=/i.test(term))))
    return [{ code: 'spf_redirect_target', detail: { domain }, points: 0 }];
  // A term that has no effect may stand for a server that sends: its mail must not be refused.
  if (spf.mistypedModifiers.count > 0) {
    const terms = repairedTerms(spf.report.raw);
    const detail = { terms: spf.mistypedModifiers };
    return [{ code: 'spf_mistyped_modifiers', detail, points: 0, ...change(terms && recordOf(terms)) }];
  }
  // What else a null MX asks for is in the advice on MX.
  if (spf.ignoredTerms.count > 0 || mx.state === 'null') return [];
  if (all_qualifier === '-') return [];
  if (all_qualifier === '~')
    return [{ code: 'spf_harden', detail: { domain }, points: 0, ...change(withAll(mechanisms, '-')) }];
  const text = withAll(mechanisms, '~');
  return [{ code: 'spf_soften', detail: { hasAll: !spf.hasNoAll }, points: 0, ...change(text) }];
}

/** What receivers accept, but what does not do what was meant. */
function adviseOddities(domain: string, { spf }: Findings): Draft[] {
  const drafts: Draft[] = [];
  const add = (draft: Draft) => drafts.push(draft);
  const { lookalike, records, ignoredTerms, usesPtr, apexTxtBytes } = spf;
  if (lookalike !== undefined && records.length > 0)
    add({ code: 'spf_lookalike', detail: { domain, raw: lookalike, isBesideRecord: true }, points: 0 });
  if (ignoredTerms.count > 0) add({ code: 'spf_ignored_terms', detail: { terms: ignoredTerms }, points: 0 });
  if (usesPtr) add({ code: 'spf_ptr', detail: {}, points: 0 });
  if (apexTxtBytes > MAX_QUIET_TXT_BYTES) add({ code: 'spf_size', detail: { domain, bytes: apexTxtBytes }, points: 0 });
  return drafts;
}

/** RFC 7208 §3.4: with the names and headers, more does not fit into the 512 bytes of a message without EDNS. */
const MAX_QUIET_TXT_BYTES = 450;
