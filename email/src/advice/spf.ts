// Advice on SPF. A record that was not in force until now is proposed with `~all`: mail from a
// forgotten server is marked and not refused. `-all` is the step after that.
import { isPrivateAddress } from '../address-scope.ts';
import type { Answer } from '../dns/answer.ts';
import { hasCode } from '../findings/finding.ts';
import { providerOfSpfName } from '../providers.ts';
import { looksUnused } from '../readiness/mail-role.ts';
import { readinessOf, unsignedServices } from '../readiness/readiness.ts';
import { repairCharacters } from '../records/pasted-text.ts';
import { MAX_LOOKUPS, MAX_POINTS } from '../report.ts';
import type { Findings, Score } from '../score/score.ts';
import { checkSpf, SPF_LIMIT_CODES } from '../spf/lookups.ts';
import { ALL_IPV4 } from '../spf/sender-count.ts';
import { parseSpf, type SpfTerm } from '../spf/spf.ts';
import {
  closedTerms,
  gluedTerm,
  isAll,
  isFragment,
  listsNoSender,
  MAX_RECORD_BYTES,
  recordOf,
  redirectAsInclude,
  repairedTerms,
  withAll,
} from '../spf/spf-record.ts';
import { type SomeTerms, someTerms } from '../spf/summary.ts';
import { type AdviceDetails, type Change, type Draft, RANKS, txtChange } from './advice.ts';
import type { Examined } from './apply.ts';
import { likelySenders, type MissingProvider } from './spf-senders.ts';

type SpfContext = {
  readonly missing: MissingProvider | undefined;
  /** The record that several were merged into, as receivers would read it. */
  readonly merged: Findings['spf'] | undefined;
  readonly apex: Answer<string>;
};

export function adviseSpf(
  domain: string,
  findings: Findings,
  score: Score,
  { missing, apex, merged }: SpfContext,
): Draft[] {
  const { spf } = findings;
  const { report, isUnverified } = spf;
  if (isUnverified) {
    const detail = { part: 'SPF', errors: report.validation_errors } as const;
    return [{ code: 'unverified', detail, rank: MAX_POINTS.spf - score.spf }];
  }
  // What looks unused has a recipe of its own.
  if (looksUnused(findings)) return [];
  const others = apex.kind === 'found' && spf.hasNoAll ? apex.records.slice(0, MAX_FRAGMENTS) : [];
  const rest = others.find(isFragment);
  return [
    ...adviseRecord(domain, findings, score, { missing, rest, merged }),
    ...adviseOddities(domain, findings),
  ];
}

/** TXT records that may be the rest of the record. A zone can have thousands. */
const MAX_FRAGMENTS = 20;

function adviseRecord(
  domain: string,
  findings: Findings,
  score: Score,
  {
    missing,
    rest,
    merged,
  }: Pick<SpfContext, 'missing' | 'merged'> & { readonly rest: string | undefined },
): Draft[] {
  const { spf } = findings;
  const { report } = spf;
  const changeOf: ChangeOf = (text, replaces = spf.records) => {
    if (text === undefined || text.length > MAX_RECORD_BYTES || spf.alias !== undefined)
      return undefined;
    return txtChange(domain, text, replaces);
  };

  if (spf.openToAll !== undefined) {
    const detail = { domain, openToAll: spf.openToAll };
    const points = MAX_POINTS.spf - 5;
    const change = changeOf(closedRecord(domain, findings));
    return [{ code: 'anyone_can_send', detail, points, rank: RANKS.anyoneCanSend, change }];
  }
  if (spf.records.length === 0) {
    if (spf.lookalike !== undefined) {
      const terms = repairedTerms(spf.lookalike);
      const text = terms && softRecord(terms);
      const { mistakes } = repairCharacters(spf.lookalike);
      const detail = { domain, raw: spf.lookalike, isBesideRecord: false, mistakes };
      return [
        {
          code: 'spf_lookalike',
          detail,
          points: gainWith(score, '~'),
          change: changeOf(text, [spf.lookalike]),
        },
      ];
    }
    return [adviseFirst(domain, findings)];
  }
  if (spf.records.length > 1) {
    const lookups = merged?.report.dns_lookup_count ?? 0;
    const terms = merged === undefined ? [] : costlyTerms({ ...findings, spf: merged });
    const detail = { domain, count: spf.records.length, lookups, terms };
    return [
      {
        code: 'spf_merge',
        detail,
        points: gainWith(score, '~'),
        change: changeOf(mergedRecord(spf.records)),
      },
    ];
  }
  if (rest !== undefined && spf.hasNoAll && report.is_valid && !/redirect=/i.test(report.raw)) {
    const terms = repairedTerms(`${report.raw} ${rest.trim()}`);
    const detail = { domain, rest };
    return [
      {
        code: 'spf_split',
        detail,
        change: changeOf(terms && softRecord(terms), [report.raw, rest]),
      },
    ];
  }
  if (report.is_valid) return adviseValid(domain, findings, changeOf, missing);
  return adviseInvalid(domain, findings, score, changeOf);
}

type ChangeOf = (text: string | undefined, replaces?: readonly string[]) => Change | undefined;

function adviseInvalid(
  domain: string,
  findings: Findings,
  score: Score,
  changeOf: ChangeOf,
): Draft[] {
  const { spf } = findings;
  const { report } = spf;
  const isOver = hasCode(report.validation_errors, ...SPF_LIMIT_CODES);
  const faults = report.validation_errors.filter(({ code }) => !SPF_LIMIT_CODES.includes(code));
  const drafts: Draft[] = [];
  if (faults.length > 0) {
    const repaired = repairedTerms(report.raw);
    const terms = repaired?.filter((term) => !isDeadEnd(term, findings));
    const isEmptied =
      repaired !== undefined && terms?.every(isAll) === true && !repaired.every(isAll);
    const replacement = isEmptied
      ? likelySenders(domain, findings).records[0]
      : terms && softRecord(terms);
    const text = isOver ? undefined : replacement;
    const glued = gluedTerm(report.mechanisms);
    const detail = {
      errors: faults,
      mistakes: repairCharacters(report.raw).mistakes,
      isSoftened: text !== undefined && report.all_qualifier === '-',
      glued,
    };
    drafts.push({
      code: 'spf_faults',
      detail,
      points: gainWith(score, report.all_qualifier),
      change: changeOf(text),
    });
  }
  if (isOver) {
    const detail = {
      lookups: report.dns_lookup_count,
      voidLookups: spf.voidLookups,
      terms: costlyTerms(findings),
    };
    // Terms that find nothing let no host send, so that the record without them lets the same hosts
    // send.
    const text =
      spf.voidTerms.length > 0 && faults.length === 0 ? withoutVoidTerms(spf) : undefined;
    const points = gainWith(score, report.all_qualifier);
    drafts.push({ code: 'spf_limits', detail, points, change: changeOf(text) });
  }
  return drafts;
}

/**
 * Terms of the record by what they cost: those of services that seem not to be used first, then the
 * most lookups.
 */
function costlyTerms({ spf, dkim }: Findings): AdviceDetails['spf_limits']['terms'] {
  const unsigned = unsignedServices({ spf, dkim }).map(({ name }) => name);
  const terms = spf.tree.children.map(({ via: term, lookups, name }) => {
    const service = providerOfSpfName(name);
    const isUnsigned = service !== undefined && unsigned.includes(service.name);
    const unneeded = service?.needsSpf === 'no' ? service.name : undefined;
    return { term, lookups, unsigned: isUnsigned ? service.name : undefined, unneeded };
  });
  const rank = (term: (typeof terms)[number]) =>
    (term.unsigned ?? term.unneeded) === undefined ? 0 : 1;
  return terms.sort((a, b) => rank(b) - rank(a) || b.lookups - a.lookups).slice(0, MAX_COSTLY);
}

const MAX_COSTLY = 5;

/** Undefined if no host could send any more: that is not what a repair is for. */
function softRecord(terms: readonly string[]): string | undefined {
  // A redirect is not used beside the `all` that the new record gets.
  const closed = closedTerms(terms).map(redirectAsInclude);
  return closed.every(isAll) && !terms.every(isAll) ? undefined : withAll(closed, '~');
}

/** Undefined if no other term would be left. */
function withoutVoidTerms({ report, voidTerms }: Findings['spf']): string | undefined {
  const terms = report.mechanisms.filter((term) => !voidTerms.includes(term));
  return terms.some((term) => !isAll(term)) ? recordOf(terms) : undefined;
}

function gainWith({ spf }: Score, qualifier: string): number {
  return Math.max(0, ({ '-': 25, '~': 20, '?': 10 }[qualifier] ?? 0) - spf);
}

function adviseFirst(domain: string, findings: Findings): Draft {
  const { spf } = findings;
  const { senders, records } = likelySenders(domain, findings);
  const detail = { domain, senders, alias: spf.alias };
  const [change, ...alternatives] =
    spf.alias === undefined ? records.map((text) => txtChange(domain, text)) : [];
  return { code: 'spf_publish', detail, change, alternatives };
}

function closedRecord(domain: string, findings: Findings): string | undefined {
  const { openToAll, openTerms, report, records } = findings.spf;
  if (records.length !== 1 || openTerms.some((term) => /^redirect=/i.test(term))) return undefined;
  const wide = openToAll?.kind === 'networks' ? wideNetworks(report.raw) : [];
  const terms = closedTerms(report.mechanisms, [...openTerms, ...wide]).filter(
    (term) => !/^redirect=/i.test(term),
  );
  if (!terms.every(isAll)) return withAll(terms, '~');
  return likelySenders(domain, findings).records[0];
}

/** Larger than what the largest networks have. */
function wideNetworks(raw: string): string[] {
  const isWide = { ip4: (length: number) => length < 8, ip6: (length: number) => length < 16 };
  return parseSpf(raw).terms.flatMap((term) =>
    (term.kind === 'ip4' || term.kind === 'ip6') && isWide[term.kind](term.length)
      ? [term.text]
      : [],
  );
}

/** Undefined unless there are several records that can be merged. */
export async function checkMerged({
  domain,
  findings,
  resolver,
  spfRecords,
}: Examined): Promise<Findings['spf'] | undefined> {
  const { records } = findings.spf;
  const text = records.length > 1 ? mergedRecord(records) : undefined;
  if (text === undefined) return undefined;
  return checkSpf(domain, { kind: 'found', records: [text], aliases: [] }, resolver, spfRecords);
}

/** The terms of all records, each once. A redirect becomes an include. */
function mergedRecord(records: readonly string[]): string | undefined {
  const terms = records.map(repairedTerms);
  if (terms.some((list) => list === undefined)) return undefined;
  const all = terms.flatMap((list) => list ?? []).map(redirectAsInclude);
  const distinct = [...new Map(all.map((term) => [term.toLowerCase(), term])).values()].filter(
    (term) => !isAll(term),
  );
  return distinct.length === 0 ? undefined : softRecord(distinct);
}

/**
 * An include that leads nowhere, or back to the domain, lets no sender pass and makes receivers
 * ignore the record.
 */
function isDeadEnd(term: string, { spf }: Findings): boolean {
  const isSame = (via: string) => via.replace(/\.$/, '').toLowerCase() === term.toLowerCase();
  return spf.tree.children.some(
    ({ via, errors }) => isSame(via) && hasCode(errors, 'include_not_found', 'loop'),
  );
}

function adviseValid(
  domain: string,
  findings: Findings,
  changeOf: ChangeOf,
  missing: MissingProvider | undefined,
): Draft[] {
  const { spf } = findings;
  const { all_qualifier, mechanisms } = spf.report;
  // Each term denies: that is not a list of servers, and not the declaration that there are none.
  if (
    mechanisms.some((term) => /^[-~?]/.test(term) && !isAll(term)) &&
    listsNoSender(spf.report.raw)
  )
    return adviseNoSender(domain, findings, changeOf);
  // A term that has no effect may stand for a server that sends: its mail must not be refused.
  const idle = adviseIdleTerms(findings, changeOf);
  if (idle.length > 0) return idle;
  const isRedirected = !mechanisms.some(isAll) && !spf.hasNoAll && all_qualifier !== '-';
  if (isRedirected || (spf.hasNoAll && mechanisms.some((term) => /^redirect=/i.test(term))))
    return [{ code: 'spf_redirect_target', detail: { domain } }];
  if (missing !== undefined && (all_qualifier !== '?' || missing.refusal !== undefined)) {
    const { provider, includes, refusal } = missing;
    const named = { provider: provider.name, includes: includes.map((name) => `include:${name}`) };
    if (refusal !== undefined)
      return [{ code: 'spf_provider_refused', detail: { ...named, term: refusal } }];
    return [
      { code: 'spf_provider_missing', detail: { ...named, isRefused: all_qualifier === '-' } },
    ];
  }
  if (all_qualifier === '-') return [];
  // A stricter `all` would be about the domain's own mail.
  if (listsNoSender(spf.report.raw)) return adviseNoSender(domain, findings, changeOf);
  // What stands in the way of a stricter step is said once, for all steps.
  if (all_qualifier === '~' && readinessOf(domain, findings).obstacles.length > 0) return [];
  if (all_qualifier === '~')
    return [{ code: 'spf_harden', detail: { domain }, change: changeOf(withAll(mechanisms, '-')) }];
  const text = withAll(mechanisms, '~');
  return [{ code: 'spf_soften', detail: { hasAll: !spf.hasNoAll }, change: changeOf(text) }];
}

function adviseNoSender(domain: string, findings: Findings, changeOf: ChangeOf): Draft[] {
  const { records } = likelySenders(domain, findings);
  const [change, ...alternatives] = records.flatMap((text) => changeOf(text) ?? []);
  return [{ code: 'spf_lists_none', detail: { domain }, change, alternatives }];
}

function adviseIdleTerms({ spf }: Findings, changeOf: ChangeOf): Draft[] {
  const { mechanisms, raw } = spf.report;
  if (spf.mistypedModifiers.count > 0) {
    const terms = repairedTerms(raw);
    const detail = { terms: spf.mistypedModifiers };
    return [{ code: 'spf_mistyped_modifiers', detail, change: changeOf(terms && recordOf(terms)) }];
  }
  if (spf.ignoredRedirect !== undefined) {
    const { ignoredRedirect: term } = spf;
    const others = mechanisms.filter((other) => !/^redirect=/i.test(other));
    const included = beforeAll([...others, redirectAsInclude(term)]);
    const isListed = others.some(
      (other) => other.toLowerCase() === redirectAsInclude(term).toLowerCase(),
    );
    const without = changeOf(recordOf(others));
    const detail = { term, isIncluded: !isListed };
    if (isListed) return [{ code: 'spf_redirect_beside_all', detail, change: without }];
    const alternatives = without === undefined ? [] : [without];
    return [
      {
        code: 'spf_redirect_beside_all',
        detail,
        change: changeOf(recordOf(included)),
        alternatives,
      },
    ];
  }
  if (spf.ignoredTerms.count > 0) {
    const change = changeOf(recordOf(beforeAll(closedTerms(mechanisms))));
    const without = changeOf(recordOf(mechanisms.slice(0, mechanisms.findIndex(isAll) + 1)));
    const alternatives = without === undefined ? [] : [without];
    return [
      { code: 'spf_ignored_terms', detail: { terms: spf.ignoredTerms }, change, alternatives },
    ];
  }
  const text = spf.voidTerms.length === 0 ? undefined : withoutVoidTerms(spf);
  return text === undefined
    ? []
    : [{ code: 'spf_void', detail: { terms: someVoidTerms(spf) }, change: changeOf(text) }];
}

function someVoidTerms({ voidTerms }: Findings['spf']): SomeTerms {
  return someTerms(voidTerms.map((text) => ({ text })));
}

/** What is after the first `all` moved before it, and other `all` left out. */
function beforeAll(terms: readonly string[]): string[] {
  const all = terms.find(isAll);
  const others = terms.filter((term) => !isAll(term));
  return all === undefined ? others : [...others, all];
}

/** What receivers accept, but what does not do what was meant. */
function adviseOddities(domain: string, { spf }: Findings): Draft[] {
  const drafts: Draft[] = [];
  const add = (draft: Draft) => drafts.push(draft);
  const { lookalike, records, usesPtr, apexTxtBytes, report } = spf;
  if (lookalike !== undefined && records.length > 0)
    add({
      code: 'spf_lookalike',
      detail: { domain, raw: lookalike, isBesideRecord: true, mistakes: [] },
    });
  if (report.is_valid && report.dns_lookup_count === MAX_LOOKUPS)
    add({ code: 'spf_at_limit', detail: {} });
  if (report.is_valid && spf.voidTerms.length > 0 && withoutVoidTerms(spf) === undefined)
    add({ code: 'spf_void', detail: { terms: someVoidTerms(spf) } });
  const ofPrivate = parseSpf(report.raw).terms.filter(isPrivateTerm);
  if (ofPrivate.length > 0) add({ code: 'spf_private', detail: { terms: someTerms(ofPrivate) } });
  if (usesPtr) add({ code: 'spf_ptr', detail: {} });
  if (report.raw.length > MAX_MESSAGE_BYTES)
    add({ code: 'spf_long', detail: { bytes: report.raw.length } });
  else if (apexTxtBytes > MAX_QUIET_TXT_BYTES)
    add({ code: 'spf_size', detail: { domain, bytes: apexTxtBytes } });
  if (spf.openToAll === undefined) drafts.push(...adviseSenderCounts(spf));
  return drafts;
}

function isPrivateTerm(term: SpfTerm): boolean {
  return (
    (term.kind === 'ip4' || term.kind === 'ip6') &&
    term.qualifier === '+' &&
    isPrivateAddress(term.address)
  );
}

const MAX_MESSAGE_BYTES = 512;
/**
 * RFC 7208 §3.4: with the names and headers, more does not fit into the 512 bytes of a message
 * without EDNS.
 */
const MAX_QUIET_TXT_BYTES = 450;

/** Share of the IPv4 addresses. The senders of a large provider are a tenth of that. */
const BROAD_PERCENT = 1;

function adviseSenderCounts({ senderCounts }: Findings['spf']): Draft[] {
  const { ipv4Addresses: addresses, terms, sharedCloud } = senderCounts;
  const sizeOf = (text: string) => terms.find((term) => term.term === text)?.ipv4Addresses ?? 0;
  const percent = (addresses / ALL_IPV4) * 100;
  if (percent < BROAD_PERCENT && sharedCloud === undefined) return [];
  const term = sharedCloud?.term ?? terms[0]?.term ?? '';
  const detail = { addresses, percent, term, ofTerm: sizeOf(term), cloud: sharedCloud?.cloud };
  return [{ code: 'spf_broad', detail, rank: 1 }];
}
