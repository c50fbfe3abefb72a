/**
 * Follows the terms of an SPF record through DNS, as a receiver would if no mechanism ever matched: the include tree,
 * what it costs, and what is broken in it. RFC 7208 §4.6.4, §5, §6.1.
 *
 * Records are read level by level, all of a level at once, and the names of `a`, `mx` and `exists` are looked up
 * meanwhile. A record that is included twice is walked twice, since a receiver pays for it twice; the resolver remembers
 * the answer. The thinking is done when everything has been asked.
 */
import type { Answer, Resolver } from './dns.ts';
import type { Qualifier, SpfReport } from './report.ts';
import { parseSpf, quoteTerm, type SpfRecord, type SpfTerm, selectSpf } from './spf.ts';
import { expandForDomain, usesMacro } from './spf-macro.ts';

export type SpfNode = {
  /** The name the term asks for; the domain-spec as written if only a receiver can expand it. */
  name: string;
  /** The term that led here, `''` for the root. */
  via: string;
  /** `''` if the term asks for no record, or there is none. */
  raw: string;
  /** Of this subtree, itself included. */
  lookups: number;
  children: SpfNode[];
  errors: string[];
};

export type SpfFindings = {
  report: SpfReport;
  tree: SpfNode;
  /** Something could not be read: at the domain or anywhere in the tree. */
  isUnverified: boolean;
  /** There are errors, and all of them are too_many_lookups or too_many_void_lookups. */
  isOnlyOverLimits: boolean;
  /** The domain's record, or one it redirects to, has `ptr` or `%{p}` (§5.5, §7.3). */
  usesPtr: boolean;
  /** The record that decides, redirects followed, has neither `all` nor `redirect`: the end is neutral (§4.7). */
  hasNoAll: boolean;
  /** All TXT records of the domain together, for they come in one answer (§3.4). */
  apexTxtBytes: number;
  voidLookups: number;
};

/** `apex` is the answer to the TXT question for the domain itself. */
export async function checkSpf(domain: string, apex: Answer<string>, resolver: Resolver): Promise<SpfFindings> {
  const root = newPlace(domain);
  if (!canHaveSpf(domain)) root.errors.push(notFound(root, 'is not a name that can have an SPF record'));
  else readRecord(root, apex, (why) => (isMissing(apex) ? `domain_not_found: ${domain} ${why}` : notFound(root, why)));
  await walk(root, resolver);
  return findingsOf(root, apex);
}

// RFC 7208 §4.6.4: at most 10 terms that cause queries, over the whole tree. More is permerror at the receiver; we go on
// counting so that the report can show how far over the record is, up to two stops that no honest zone reaches.
const MAX_LOOKUPS = 10;
const MAX_COUNTED = 100;
const MAX_DEPTH = 20;
const MAX_VOID_LOOKUPS = 2;
const MAX_MX_HOSTS = 10;
const LIMIT_CODES = ['too_many_lookups', 'too_many_void_lookups'];

type LookupTerm = Extract<SpfTerm, { kind: 'include' | 'exists' | 'ptr' | 'a' | 'mx' | 'redirect' }>;

/** A node while it is being walked. */
type Place = {
  readonly name: string;
  /** The term that led here, and the place whose record it stands in; the root has neither. */
  readonly origin: { readonly term: LookupTerm; readonly parent: Place } | undefined;
  /** The names from the domain down to this one. */
  readonly path: readonly string[];
  readonly children: Place[];
  readonly errors: string[];
  raw: string;
  record: SpfRecord | undefined;
  isVoid: boolean;
  isFailure: boolean;
};

function newPlace(name: string, origin?: Place['origin']): Place {
  return {
    name,
    origin,
    path: [...(origin?.parent.path ?? []), name],
    children: [],
    errors: [],
    raw: '',
    record: undefined,
    isVoid: false,
    isFailure: false,
  };
}

/** An alias to a name that does not exist does itself exist. */
function isMissing(answer: Answer<unknown>): boolean {
  return answer.kind === 'nxdomain' && answer.alias === undefined;
}

async function walk(root: Place, resolver: Resolver): Promise<void> {
  const addressLookups: Promise<void>[] = [];
  let room = MAX_COUNTED;
  let level = [root];
  while (level.length > 0) {
    const steps = level.flatMap((parent) => lookupTerms(parent.record).map((term) => ({ parent, term })));
    const targets = steps.slice(0, room).flatMap(({ parent, term }) => addChild(parent, term, root.name));
    room = Math.max(0, room - steps.length);
    addressLookups.push(...targets.filter((place) => !leadsToRecord(place)).map((place) => lookUp(place, resolver)));
    level = targets.filter((place) => leadsToRecord(place) && !isTooDeep(place));
    await Promise.all(level.map((place) => lookUpRecord(place, resolver)));
  }
  await Promise.all(addressLookups);
}

/** The terms a receiver gets to, in its order: nothing after `all` (§5.1), `redirect` last and only without `all` (§6.1). */
function lookupTerms(record: SpfRecord | undefined): LookupTerm[] {
  if (record === undefined) return [];
  const all = record.terms.findIndex((term) => term.kind === 'all');
  const mechanisms = (all < 0 ? record.terms : record.terms.slice(0, all)).filter(isLookupMechanism);
  return all < 0 ? [...mechanisms, ...record.terms.filter(isRedirect)] : mechanisms;
}

function isLookupMechanism(term: SpfTerm): term is LookupTerm {
  return ['include', 'a', 'mx', 'ptr', 'exists'].includes(term.kind);
}

function isRedirect(term: SpfTerm | undefined): term is SpfTerm & { kind: 'redirect' } {
  return term?.kind === 'redirect';
}

function leadsToRecord({ origin }: Place): boolean {
  return origin?.term.kind === 'include' || origin?.term.kind === 'redirect';
}

function isTooDeep(place: Place): boolean {
  return leadsToRecord(place) && place.path.length > MAX_DEPTH + 1;
}

/** Puts the target of a term into the tree, where it counts as one lookup; returns it if there is something to ask. */
function addChild(parent: Place, term: LookupTerm, senderDomain: string): Place[] {
  const target = term.domain === '' ? parent.name : expandForDomain(term.domain, parent.name, senderDomain);
  const place = newPlace(target?.toLowerCase() ?? term.domain, { term, parent });
  parent.children.push(place);
  if (target === undefined) return []; // only a receiver can expand it
  const fault = targetFault(place, term, parent);
  if (fault === undefined) return [place];
  place.errors.push(fault);
  return [];
}

function targetFault(place: Place, term: LookupTerm, parent: Place): string | undefined {
  const { name } = place;
  if (leadsToRecord(place)) {
    if (parent.path.includes(name)) return `loop: ${place.path.join(' > ')}`;
    return canHaveSpf(name) ? undefined : notFound(place, 'is not a domain name');
  }
  // §4.8 leaves open what a receiver makes of a name that cannot be asked for. Some say permerror, and nobody means it.
  if (isDnsName(name)) return undefined;
  return `syntax_error: ${quoteTerm(term.text)} in the record of ${parent.name}: ${name} is not a domain name`;
}

async function lookUpRecord(place: Place, resolver: Resolver): Promise<void> {
  readRecord(place, await resolver.txt(place.name), (why) => notFound(place, why));
}

function notFound({ name, origin }: Place, why: string): string {
  if (origin === undefined) return `no_spf_record: ${name} ${why}`;
  const { term, parent } = origin;
  return `${term.kind}_not_found: ${quoteTerm(term.text)} in the record of ${parent.name}: ${name} ${why}`;
}

function readRecord(place: Place, answer: Answer<string>, absent: (why: string) => string): void {
  const { name, errors } = place;
  note(place, 'TXT', answer);
  if (answer.kind === 'failure') return;
  const selected = selectSpf(answer.kind === 'found' ? answer.records : []);
  if (selected.kind === 'none') {
    errors.push(absent(whyAbsent(answer)));
    return;
  }
  place.raw = selected.raw;
  if (selected.kind === 'multiple') {
    errors.push(`multiple_records: ${name} has ${selected.count} SPF records`);
    return;
  }
  place.record = parseSpf(selected.raw);
  const where = place.origin === undefined ? '' : `in the record of ${name}, `;
  errors.push(...place.record.errors.map((error) => error.replace(': ', () => `: ${where}`)));
}

function whyAbsent(answer: Answer<string>): string {
  if (answer.kind !== 'nxdomain') return 'has no SPF record';
  return answer.alias === undefined ? 'does not exist' : `is an alias of ${answer.alias}, which does not exist`;
}

async function lookUp(place: Place, resolver: Resolver): Promise<void> {
  const { name, errors } = place;
  switch (place.origin?.term.kind) {
    case 'mx': {
      // The address lookups of the hosts do not count, but there may be no more than 10 hosts (§4.6.4).
      const answer = await resolver.mx(name);
      note(place, 'MX', answer);
      if (answer.kind === 'found' && answer.records.length > MAX_MX_HOSTS)
        errors.push(`mx_limit: ${name} has ${answer.records.length} MX hosts, and SPF allows ${MAX_MX_HOSTS}`);
      return;
    }
    case 'exists': // asks for A also if the sender is on IPv6 (§5.7)
      note(place, 'A', await resolver.a(name));
      return;
    case 'a': {
      // Which of the two a receiver asks for depends on the sender. A host that has either is not a void lookup.
      const answer = await resolver.a(name);
      if (answer.kind === 'nodata') note(place, 'AAAA', await resolver.aaaa(name));
      else note(place, 'A', answer);
      return;
    }
    default: // ptr asks for the sender's address, and there is no sender
  }
}

function note(place: Place, type: string, answer: Answer<unknown>): void {
  if (answer.kind === 'failure') {
    place.isFailure = true;
    place.errors.push(`dns_temporary_failure: ${place.name} ${type} ${answer.reason}`);
  } else place.isVoid = answer.kind !== 'found' || answer.records.length === 0;
}

function isDnsName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => label.length > 0 && label.length <= 63);
}

/** §4.3: for anything else, and for a single label, check_host is "none" without a question. */
function canHaveSpf(name: string): boolean {
  return isDnsName(name) && name.includes('.');
}

function findingsOf(root: Place, apex: Answer<string>): SpfFindings {
  const tree = toNode(root);
  const places = everyPlace(root);
  const voids = places.filter((place) => place !== root && place.isVoid);
  tree.errors.push(...limitErrors(tree.lookups, places.some(isTooDeep), voids));
  const errors = [...new Set(everyError(tree))];
  const chain = redirectChain(root);
  const decisive = chain.at(-1)?.record;
  const qualifier = decisive === undefined ? '' : (allQualifier(decisive) ?? '?');
  return {
    report: {
      raw: root.raw,
      mechanisms: root.raw === '' ? [] : parseSpf(root.raw).mechanisms,
      all_qualifier: qualifier,
      is_valid: errors.length === 0,
      is_permissive: qualifier === '+',
      validation_errors: errors,
      dns_lookup_count: tree.lookups,
      exceeds_lookups: tree.lookups > MAX_LOOKUPS,
    },
    tree,
    isUnverified: places.some((place) => place.isFailure),
    isOnlyOverLimits: errors.length > 0 && errors.every((error) => LIMIT_CODES.includes(error.split(':', 1)[0] ?? '')),
    usesPtr: chain.some(({ record }) => record?.terms.some(isPtr)),
    hasNoAll: decisive !== undefined && allQualifier(decisive) === undefined,
    apexTxtBytes: apex.kind === 'found' ? apex.records.reduce((sum, text) => sum + text.length, 0) : 0,
    voidLookups: voids.length,
  };
}

function toNode({ name, origin, raw, children: places, errors }: Place): SpfNode {
  const children = places.map(toNode);
  const lookups = children.reduce((sum, child) => sum + child.lookups, origin === undefined ? 0 : 1);
  return { name, via: origin?.term.text ?? '', raw, lookups, children, errors: [...errors] };
}

function everyPlace(place: Place): Place[] {
  return [place, ...place.children.flatMap(everyPlace)];
}

function everyError({ errors, children }: SpfNode): string[] {
  return [...errors, ...children.flatMap(everyError)];
}

function limitErrors(lookups: number, hasMore: boolean, voids: readonly Place[]): string[] {
  const errors: string[] = [];
  if (lookups > MAX_LOOKUPS) {
    const count = hasMore || lookups === MAX_COUNTED ? `at least ${lookups}` : lookups;
    errors.push(`too_many_lookups: the record needs ${count} DNS lookups, and receivers stop at ${MAX_LOOKUPS}`);
  }
  if (voids.length > MAX_VOID_LOOKUPS) {
    const terms = [...new Set(voids.map(({ origin }) => quoteTerm(origin?.term.text ?? '')))];
    const shown = terms.length > 5 ? `${terms.slice(0, 5).join(', ')}, …` : terms.join(', ');
    errors.push(
      `too_many_void_lookups: ${voids.length} lookups find nothing (${shown}), and receivers stop after ${MAX_VOID_LOOKUPS}`,
    );
  }
  return errors;
}

/** The domain's record and those it redirects to. What `all` means is decided by the last one, if it could be read. */
function redirectChain(place: Place): Place[] {
  const { record, children } = place;
  if (record === undefined || allQualifier(record) !== undefined || !record.terms.some(isRedirect)) return [place];
  const target = children.find(({ origin }) => isRedirect(origin?.term));
  return [place, ...redirectChain(target ?? newPlace(''))];
}

/** The first `all` wins (§5.1). */
function allQualifier(record: SpfRecord): Qualifier | undefined {
  const all = record.terms.find((term) => term.kind === 'all');
  return all?.kind === 'all' ? all.qualifier : undefined;
}

function isPtr(term: SpfTerm): boolean {
  if (term.kind === 'ptr') return true;
  if (term.kind === 'unknown') return usesMacro(term.value, 'p');
  return 'domain' in term && usesMacro(term.domain, 'p');
}
