// Follows the terms of an SPF record as a receiver would if no mechanism ever matched: the include
// tree, its cost, and what is wrong in it (RFC 7208 §4.6.4, §5, §6.1). All records of a level are
// asked at once. One that is included twice is walked twice, because it costs a receiver twice; the
// resolver asks only once.
import { type Answer, aliasOf, type RecordType, type Resolver } from '../dns/answer.ts';
import {
  absenceOf,
  dnsFailure,
  type Finding,
  type FindingCode,
  limitFindings,
} from '../findings/finding.ts';
import type { Absence } from '../findings/finding-text.ts';
import { MAX_LOOKUPS, MAX_VOID_LOOKUPS, type SpfReport } from '../report.ts';
import { expandForDomain } from './macro.ts';
import { findOpenToAll, type OpenToAll, openOwnTerms, recordsThatPass } from './open-to-all.ts';
import type { Passing } from './passing.ts';
import { countSenders, type SenderCounts } from './sender-count.ts';
import {
  evaluatedTerms,
  excerptOfTerm,
  findLookalike,
  isReadable,
  parseSpf,
  type SpfRecord,
  type SpfSelection,
  selectSpf,
} from './spf.ts';
import { type LookupTerm, type SomeTerms, type SpfSummary, summarizeSpf } from './summary.ts';

export type SpfNode = {
  /** The name the term refers to; the domain-spec as written if only a receiver can expand it. */
  name: string;
  /** The term that led here, `''` for the root. */
  via: string;
  /** `''` if the term does not lead to a record, or there is none. */
  raw: string;
  /** Lookups of this subtree, including itself. */
  lookups: number;
  children: SpfNode[];
  errors: Finding[];
};

export type SpfFindings = Pick<
  SpfSummary,
  'ignoredTerms' | 'ignoredRedirect' | 'mistypedModifiers'
> & {
  report: SpfReport<Finding>;
  tree: SpfNode;
  /** A question failed, for the domain or anywhere in the tree. */
  isUnverified: boolean;
  /** There are errors, and all of them are too_many_lookups or too_many_void_lookups. */
  isOnlyOverLimits: boolean;
  /** Why everyone can send as this domain; undefined if not everyone can. */
  openToAll: OpenToAll | undefined;
  /** All terms of the domain's record that let everyone pass. */
  openTerms: readonly string[];
  senderCounts: SenderCounts;
  passing: readonly Passing[];
  /** All SPF records of the domain: one, unless there are none or `multiple_records`. */
  records: readonly string[];
  /** A TXT record that was meant as SPF but is not read as such. */
  lookalike: string | undefined;
  /** The name that the domain is an alias of. */
  alias: string | undefined;
  /** The domain's record, or one it redirects to, has `ptr` or `%{p}` (§5.5, §7.3). */
  usesPtr: boolean;
  /**
   * The deciding record, after redirects, has neither `all` nor `redirect`: the result is neutral
   * (§4.7).
   */
  hasNoAll: boolean;
  /**
   * All TXT records of the domain together, since they share one answer (§3.4); of a very long one,
   * only a part.
   */
  apexTxtBytes: number;
  voidLookups: number;
  /** Terms of the domain's record with a lookup that finds nothing. */
  voidTerms: readonly string[];
};

/**
 * `apex`: the TXT answer of the domain. `known`: records that an earlier walk over almost the same
 * tree parsed.
 */
export async function checkSpf(
  domain: string,
  apex: Answer<string>,
  resolver: Resolver,
  readRecords: ReadRecords = new Map(),
): Promise<SpfFindings> {
  const root = newWalkNode(domain);
  if (!canHaveSpf(domain)) root.errors.push(notFound(root, 'impossible name'));
  else readRecord(root, apex, new Map());
  await walk(root, resolver, readRecords);
  return findingsOf(root, apex);
}

// We go on counting above the limit, so that the report can show how far over it the record is, up
// to two limits that no real zone reaches.
const MAX_COUNTED = 100;
const MAX_DEPTH = 20;
const MAX_MX_HOSTS = 10;
/** The errors that fewer lookups would resolve. */
export const SPF_LIMIT_CODES: readonly FindingCode[] = [
  'too_many_lookups',
  'too_many_void_lookups',
];

const NO_TERMS: SomeTerms = { shown: [], count: 0 };
const NO_RECORD: SpfRecord = { mechanisms: [], terms: [], errors: [] };

type WalkNode = {
  readonly name: string;
  /** The term that led here, and the node whose record contains it; absent for the root. */
  readonly origin: { readonly term: LookupTerm; readonly parent: WalkNode } | undefined;
  /** The names from the domain down to this one. */
  readonly path: readonly string[];
  readonly children: WalkNode[];
  readonly errors: Finding[];
  raw: string;
  summary: SpfSummary | undefined;
  isVoid: boolean;
  isFailure: boolean;
};

function newWalkNode(name: string, origin?: WalkNode['origin']): WalkNode {
  return {
    name,
    origin,
    path: [...(origin?.parent.path ?? []), name],
    children: [],
    errors: [],
    raw: '',
    summary: undefined,
    isVoid: false,
    isFailure: false,
  };
}

async function walk(root: WalkNode, resolver: Resolver, readRecords: ReadRecords): Promise<void> {
  const addressLookups: Promise<void>[] = [];
  let remaining = MAX_COUNTED;
  let level = [root];
  while (level.length > 0) {
    const targets: WalkNode[] = [];
    for (const parent of level) {
      const terms = parent.summary?.lookups.slice(0, remaining) ?? [];
      remaining -= terms.length;
      for (const term of terms) targets.push(...addChild(parent, term, root.name));
    }
    addressLookups.push(
      ...targets.filter((node) => !leadsToRecord(node)).map((node) => lookUp(node, resolver)),
    );
    level = targets.filter((node) => leadsToRecord(node) && !isTooDeep(node));
    await Promise.all(
      level.map(async (node) => readRecord(node, await resolver.txt(node.name), readRecords)),
    );
  }
  await Promise.all(addressLookups);
}

/**
 * What was read under a name: a record that is included a hundred times is found and parsed once.
 */
export type ReadRecords = Map<
  string,
  { readonly selected: SpfSelection; readonly summary: SpfSummary | undefined }
>;

function leadsToRecord({ origin }: WalkNode): boolean {
  return origin?.term.kind === 'include' || origin?.term.kind === 'redirect';
}

function isTooDeep(node: WalkNode): boolean {
  return leadsToRecord(node) && node.path.length > MAX_DEPTH + 1;
}

/**
 * Adds the target of a term to the tree, where it counts as one lookup. Returns it if there is a
 * question to ask.
 */
function addChild(parent: WalkNode, term: LookupTerm, senderDomain: string): WalkNode[] {
  const target =
    term.domain === '' ? parent.name : expandForDomain(term.domain, parent.name, senderDomain);
  const node = newWalkNode(target?.toLowerCase() ?? term.domain, { term, parent });
  parent.children.push(node);
  if (target === undefined) return []; // only a receiver can expand it
  const fault = targetFault(node, term, parent);
  if (fault === undefined) return [node];
  node.errors.push(fault);
  return [];
}

function targetFault(node: WalkNode, term: LookupTerm, parent: WalkNode): Finding | undefined {
  const { name } = node;
  if (leadsToRecord(node)) {
    if (parent.path.includes(name)) return { code: 'loop', detail: { path: node.path } };
    return canHaveSpf(name) ? undefined : notFound(node, 'impossible name');
  }
  // §4.8 does not say what a receiver does with a name that cannot be asked. Some return permerror,
  // so it is an error here.
  if (isDnsName(name)) return undefined;
  const detail = {
    kind: 'target',
    term: excerptOfTerm(term.text),
    recordOf: parent.name,
    name,
  } as const;
  return { code: 'syntax_error', detail };
}

function notFound(
  { name, origin }: WalkNode,
  absence: Absence | 'impossible name',
  lookalike?: string,
): Finding {
  if (origin === undefined) {
    // An alias of a name that does not exist does itself exist.
    if (absence === 'no such name') return { code: 'domain_not_found', detail: { name } };
    return { code: 'no_spf_record', detail: { name, absence, ...(lookalike && { lookalike }) } };
  }
  const { term, parent } = origin;
  const code = term.kind === 'redirect' ? 'redirect_not_found' : 'include_not_found';
  return { code, detail: { term: excerptOfTerm(term.text), recordOf: parent.name, name, absence } };
}

function readRecord(node: WalkNode, answer: Answer<string>, readRecords: ReadRecords): void {
  const { name, errors } = node;
  noteAnswer(node, 'TXT', answer);
  if (answer.kind === 'failure') return;
  const { selected, summary } =
    readRecords.get(name) ?? select(answer.kind === 'found' ? answer.records : []);
  readRecords.set(name, { selected, summary });
  if (selected.kind === 'none') {
    const lookalike =
      answer.kind === 'found' && node.origin === undefined
        ? findLookalike(answer.records)
        : undefined;
    const absence = answer.kind === 'found' ? 'no such record' : absenceOf(answer);
    errors.push(notFound(node, absence, lookalike && excerptOfTerm(lookalike)));
    return;
  }
  node.raw = selected.raw;
  if (selected.kind === 'multiple') {
    errors.push({
      code: 'multiple_records',
      detail: { record: 'SPF', name, count: selected.raws.length },
    });
    return;
  }
  if (summary === undefined) {
    errors.push({ code: 'record_too_long', detail: { record: 'SPF', name } });
    return;
  }
  node.summary = summary;
  errors.push(
    ...(node.origin === undefined ? summary.errors : summary.errors.map(inRecordOf(name))),
  );
}

/** No summary if there is not exactly one record, or one that is too long. */
function select(txt: readonly string[]): {
  selected: SpfSelection;
  summary: SpfSummary | undefined;
} {
  const selected = selectSpf(txt);
  const isSummarized = selected.kind === 'one' && isReadable(selected.raw);
  return { selected, summary: isSummarized ? summarizeSpf(selected.raw, MAX_COUNTED) : undefined };
}

function inRecordOf(name: string): (finding: Finding) => Finding {
  return (finding) =>
    finding.code === 'syntax_error'
      ? { code: finding.code, detail: { ...finding.detail, recordOf: name } }
      : finding;
}

async function lookUp(node: WalkNode, resolver: Resolver): Promise<void> {
  const { name, errors } = node;
  switch (node.origin?.term.kind) {
    case 'mx': {
      // §4.6.4: the address lookups of the hosts do not count, but more than 10 hosts are an error.
      const answer = await resolver.mx(name);
      noteAnswer(node, 'MX', answer);
      if (answer.kind === 'found' && answer.records.length > MAX_MX_HOSTS)
        errors.push({
          code: 'mx_limit',
          detail: { name, hosts: answer.records.length, limit: MAX_MX_HOSTS },
        });
      return;
    }
    case 'exists': // asks for A also if the sender is on IPv6 (§5.7)
      noteAnswer(node, 'A', await resolver.a(name));
      return;
    case 'a': {
      // Which type a receiver queries depends on the sender. A host that has either is not a void
      // lookup.
      const answer = await resolver.a(name);
      if (answer.kind === 'nodata') noteAnswer(node, 'AAAA', await resolver.aaaa(name));
      else noteAnswer(node, 'A', answer);
      return;
    }
    default: // ptr asks for the sender's address, and there is no sender
  }
}

function noteAnswer(node: WalkNode, type: RecordType, answer: Answer<unknown>): void {
  if (answer.kind === 'failure') {
    node.isFailure = true;
    node.errors.push(dnsFailure(node.name, type, answer));
  } else node.isVoid = answer.kind !== 'found' || answer.records.length === 0;
}

function isDnsName(name: string): boolean {
  return (
    name.length <= 253 && name.split('.').every((label) => label.length > 0 && label.length <= 63)
  );
}

/** §4.3: for other names, and for single labels, check_host returns "none" without a question. */
function canHaveSpf(name: string): boolean {
  return isDnsName(name) && name.includes('.');
}

function findingsOf(root: WalkNode, apex: Answer<string>): SpfFindings {
  const tree = toNode(root);
  const nodes = allNodes(root);
  const voids = nodes.filter((node) => node !== root && node.isVoid);
  tree.errors.push(...limitErrors(tree.lookups, nodes.some(isTooDeep), voids));
  const errors = withoutRepetitions(allErrors(tree));
  const chain = redirectChain(root);
  const decisive = chain.at(-1)?.summary;
  const qualifier = decisive === undefined ? '' : (decisive.allQualifier ?? '?');
  const texts = apex.kind === 'found' ? apex.records : [];
  const selected = selectSpf(texts);
  const own = root.raw === '' || !isReadable(root.raw) ? NO_RECORD : parseSpf(root.raw);
  return {
    report: {
      raw: root.raw,
      mechanisms: [...own.mechanisms],
      all_qualifier: qualifier,
      is_valid: errors.length === 0,
      is_permissive: qualifier === '+',
      validation_errors: errors,
      dns_lookup_count: tree.lookups,
      exceeds_lookups: tree.lookups > MAX_LOOKUPS,
    },
    tree,
    isUnverified: nodes.some((node) => node.isFailure),
    isOnlyOverLimits:
      errors.length > 0 && errors.every(({ code }) => SPF_LIMIT_CODES.includes(code)),
    openToAll: findOpenToAll(root),
    openTerms: openOwnTerms(root),
    senderCounts: countSenders(root, evaluatedTerms(own.terms)),
    passing: recordsThatPass(root).map(({ passing }) => passing),
    ignoredTerms: root.summary?.ignoredTerms ?? NO_TERMS,
    ignoredRedirect: root.summary?.ignoredRedirect,
    mistypedModifiers: root.summary?.mistypedModifiers ?? NO_TERMS,
    records: rawsOf(selected),
    lookalike: findLookalike(texts),
    alias: aliasOf(apex),
    usesPtr: chain.some(({ summary }) => summary?.usesPtr === true),
    hasNoAll: decisive !== undefined && decisive.allQualifier === undefined,
    apexTxtBytes: texts.reduce((sum, text) => sum + text.length, 0),
    voidLookups: voids.length,
    voidTerms: root.children
      .filter(({ isVoid }) => isVoid)
      .map(({ origin }) => origin?.term.text ?? ''),
  };
}

function rawsOf(selected: SpfSelection): readonly string[] {
  if (selected.kind === 'multiple') return selected.raws;
  return selected.kind === 'one' ? [selected.raw] : [];
}

function toNode({ name, origin, raw, children: nodes, errors }: WalkNode): SpfNode {
  const children = nodes.map(toNode);
  const lookups = children.reduce(
    (sum, child) => sum + child.lookups,
    origin === undefined ? 0 : 1,
  );
  return { name, via: origin?.term.text ?? '', raw, lookups, children, errors: [...errors] };
}

function allNodes(node: WalkNode): WalkNode[] {
  return [node, ...node.children.flatMap(allNodes)];
}

function allErrors({ errors, children }: SpfNode): Finding[] {
  return [...errors, ...children.flatMap(allErrors)];
}

/**
 * Errors of a record included twice are reported once; beyond the first hundred they are only
 * counted.
 */
function withoutRepetitions(findings: readonly Finding[]): Finding[] {
  const compared = findings.slice(0, MAX_COMPARED);
  const distinct = [
    ...new Map(compared.map((finding) => [JSON.stringify(finding), finding])).values(),
  ];
  return [...distinct, ...limitFindings(findings.slice(MAX_COMPARED), 1)];
}

const MAX_COMPARED = 100;

function limitErrors(lookups: number, hasMore: boolean, voids: readonly WalkNode[]): Finding[] {
  const errors: Finding[] = [];
  if (lookups > MAX_LOOKUPS) {
    const isAtLeast = hasMore || lookups === MAX_COUNTED;
    errors.push({ code: 'too_many_lookups', detail: { lookups, isAtLeast, limit: MAX_LOOKUPS } });
  }
  if (voids.length > MAX_VOID_LOOKUPS) {
    const terms = [...new Set(voids.map(({ origin }) => excerptOfTerm(origin?.term.text ?? '')))];
    errors.push({
      code: 'too_many_void_lookups',
      detail: { lookups: voids.length, terms, limit: MAX_VOID_LOOKUPS },
    });
  }
  return errors;
}

/**
 * The domain's record and those it redirects to. The last one decides what `all` means, if it could
 * be read.
 */
function redirectChain(node: WalkNode): WalkNode[] {
  const { summary, children } = node;
  if (summary === undefined || summary.allQualifier !== undefined || !summary.hasRedirect)
    return [node];
  const target = children.find(({ origin }) => origin?.term.kind === 'redirect');
  return [node, ...redirectChain(target ?? newWalkNode(''))];
}
