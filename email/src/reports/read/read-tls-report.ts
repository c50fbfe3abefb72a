/**
 * Reads the JSON of a TLS report (RFC 8460 §4), and what receivers make of it: fields that are
 * absent count as empty, and fields of another type are refused.
 */
import { normalizeDomain } from '../../domain-name.ts';
import {
  TLS_FAILURES,
  TLS_POLICIES,
  type TlsFailure,
  type TlsPolicyType,
  type TlsReport,
  type TlsSum,
} from '../tls-report.ts';
import { tidy } from './read-report-xml.ts';
import { Unreadable } from './unreadable.ts';

/**
 * A receiver with a million sessions has some kilobytes. Parsing takes fifty times as much memory.
 */
export const MAX_TLS_BYTES = 4 * 1024 * 1024;
/** RFC 8460 needs six. */
const MAX_DEPTH = 20;
const MAX_POLICIES = 1_000;
const MAX_FAILURES = 10_000;
/** Sums of 10,000 stay exact. */
const MAX_SESSIONS = 1_000_000_000;
/** Hosts of a report: others count as not named. */
const MAX_HOSTS = 200;

type Fields = Readonly<Record<string, unknown>>;

/**
 * `name` is that of the file: RFC 8460 §5.1 has the domain in it. Throws if it is not such a
 * report.
 */
export function readTlsReport(name: string, bytes: Buffer): TlsReport {
  if (isTooDeep(bytes)) throw new Unreadable('nested_json');
  let root: unknown;
  try {
    root = JSON.parse(bytes.toString('utf8').replace(/^\ufeff|\0+$/g, ''));
  } catch {
    throw new Unreadable('broken_json');
  }
  const report = fieldsOf(root);
  const policies = listOf(report['policies']);
  if (policies.length === 0) throw new Unreadable('no_policies');
  if (policies.length > MAX_POLICIES) throw new Unreadable('too_many_policies');
  const { begin, end } = periodOf(fieldsOf(report['date-range']));
  return {
    reporter: textOf(report['organization-name']),
    reporterEmail: addressOf(textOf(report['contact-info'])),
    reportId: textOf(report['report-id']),
    domain: domainOf(name, policies),
    begin,
    end,
    sums: sumsOf(policies),
  };
}

/** Without parsing: what is nested deeply takes memory and stack. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > MAX_DEPTH) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/**
 * Policies of MTA-STS, and that there is none, are the domain's. Those of DANE may be named after
 * the MX host instead (RFC 7672 §2.2.3), so that only the name of the file has the domain.
 */
function domainOf(name: string, policies: readonly unknown[]): string {
  const found = new Set<string | undefined>();
  const bases: (string | undefined)[] = [];
  for (const entry of policies) {
    const policy = fieldsOf(fieldsOf(entry)['policy']);
    const domain = normalizeDomain(textOf(policy['policy-domain']));
    if (policyTypeOf(policy) === 'tlsa') bases.push(domain);
    else found.add(domain);
  }
  if (found.size > 1) throw new Unreadable('several_domains');
  const [own] = found;
  const [, named] = FILE_NAME.exec(name) ?? [];
  const domain = own ?? (named === undefined ? bases[0] : normalizeDomain(named));
  if (domain === undefined || (found.size === 1 && own === undefined))
    throw new Unreadable('bad_domain');
  return domain;
}

const FILE_NAME = /[^!\s]!([^!\s]{1,253})!\d{1,12}!\d{1,12}(?:![^!\s]{1,200})?\.json(?:\.gz)?$/i;

/** Sessions of the same policy, host and result count as one. */
function sumsOf(policies: readonly unknown[]): TlsSum[] {
  const sums = new Map<string, TlsSum>();
  const hosts = new Set<string>();
  const add = (
    policy: TlsPolicyType,
    named: string,
    result: TlsSum['result'],
    sessions: number,
  ) => {
    if (sessions === 0) return;
    const host = hosts.has(named) || hosts.size < MAX_HOSTS ? named : '';
    hosts.add(host);
    const key = `${policy} ${host} ${result}`;
    const known = sums.get(key)?.sessions ?? 0;
    sums.set(key, { policy, host, result, sessions: Math.min(known + sessions, MAX_SESSIONS) });
  };
  let failures = 0;
  for (const entry of policies.map(fieldsOf)) {
    const policy = fieldsOf(entry['policy']);
    const type = policyTypeOf(policy);
    const summary = fieldsOf(entry['summary']);
    const details = listOf(entry['failure-details']).map(fieldsOf);
    failures += details.length;
    if (failures > MAX_FAILURES) throw new Unreadable('too_many_policies');
    let explained = 0;
    for (const detail of details) {
      const sessions = countOf(detail['failed-session-count']);
      explained += sessions;
      add(type, hostOf(detail['receiving-mx-hostname'], policy), failureOf(detail), sessions);
    }
    add(type, '', 'success', countOf(summary['total-successful-session-count']));
    const failed = countOf(summary['total-failure-session-count']);
    add(type, '', 'other', Math.max(0, failed - explained));
  }
  return [...sums.values()];
}

function policyTypeOf(policy: Fields): TlsPolicyType {
  const written = textOf(policy['policy-type']).toLowerCase();
  const type = TLS_POLICIES.find((known) => known === written);
  if (type === undefined) throw new Unreadable('bad_policy_type');
  return type;
}

function failureOf(detail: Fields): TlsFailure {
  const written = textOf(detail['result-type']).toLowerCase();
  return TLS_FAILURES.find((known) => known === written) ?? 'other';
}

/** Where a report does not name it, a policy of one host does. */
function hostOf(written: unknown, policy: Fields): string {
  const patterns = typeof policy['mx-host'] === 'string' ? [policy['mx-host']] : policy['mx-host'];
  const [only, more] = listOf(patterns).map(textOf);
  const named = textOf(written);
  const host = named === '' && more === undefined ? only : named;
  return normalizeDomain(host ?? '') ?? '';
}

function periodOf(range: Fields): { begin: number; end: number } {
  const begin = timeOf(range['start-datetime']);
  const end = timeOf(range['end-datetime']);
  if (end < begin) throw new Unreadable('bad_period');
  return { begin, end };
}

/** RFC 3339. */
function timeOf(value: unknown): number {
  const text = textOf(value);
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!(ms >= 0)) throw new Unreadable('bad_period');
  return Math.floor(ms / 1000);
}

function countOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_SESSIONS)
    throw new Unreadable('bad_sessions');
  return value;
}

/** Some write a URL, or words around it. */
function addressOf(contact: string): string {
  return /[^\s<>:@]+@[^\s<>:@/?]+/.exec(contact)?.[0].toLowerCase() ?? '';
}

const textOf = (value: unknown) => (typeof value === 'string' ? tidy(value) : '');

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
