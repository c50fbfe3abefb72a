// What a report does not have and a comparison needs: which parts were not verified, and what the records lead to. `wh
// email` saves it with the report.
import { createHash } from 'node:crypto';
import { explainObstacle, type MeasuredSenders, type ObstacleCode, readinessOf } from '../advice/readiness.ts';
import { providerOf } from '../providers.ts';
import { keyDataOf } from '../records/tag-list.ts';
import { organizationOf } from '../registrable-domain.ts';
import type { DkimReport } from '../report.ts';
import type { Findings } from '../score/score.ts';
import { cutText, visible } from '../visible-text.ts';
import { PARTS, type Part, verdictOf } from './part-state.ts';

export type Evidence = {
  unverified: Part[];
  open_to_all: boolean;
  /** Addresses that SPF lets send, by its networks over the whole tree. */
  ipv4_addresses: number;
  ipv6_48s: number;
  /** What the terms of the domain's own record bring, the most first. */
  spf_terms: { term: string; ipv4_addresses: number; ipv6_48s: number }[];
  /** Names that the records refer to and that do not exist. */
  dangling: { part: Part; name: string }[];
  readiness: ReadinessReport;
};

/** `text` of an obstacle is what has to become true. */
export type ReadinessReport = {
  steps: string[];
  is_ready: boolean;
  obstacles: { code: ObstacleCode; text: string }[];
};

export function describeReadiness(domain: string, findings: Findings, measured?: MeasuredSenders): ReadinessReport {
  const { steps, obstacles } = readinessOf(domain, findings, measured);
  const described = obstacles.map((one) => ({ code: one.code, text: cutText(visible(explainObstacle(one))) }));
  return { steps: [...steps], is_ready: obstacles.length === 0, obstacles: described };
}

export function evidenceOf(domain: string, findings: Findings): Evidence {
  const { mx, spf, dkim, dmarc } = findings;
  const { ipv4Addresses, ipv6Slash48s, terms } = spf.senderCounts;
  const includes = spf.report.validation_errors.flatMap(({ code, detail }) =>
    code === 'include_not_found' || code === 'redirect_not_found' ? [detail.name] : [],
  );
  const hosts = mx.report.errors.flatMap(({ code, detail }) => (code === 'mx_target_missing' ? [detail.host] : []));
  const [own] = dmarc.steps;
  const policy = dmarc.isOwnAliasMissing && own?.alias !== undefined ? [own.alias] : [];
  return {
    // A selector that was not answered for must not be taken for a key that was removed.
    unverified: PARTS.filter(
      (part) => verdictOf(findings).unverified.includes(part) || (part === 'dkim' && dkim.failures.length > 0),
    ),
    open_to_all: spf.openToAll !== undefined,
    ipv4_addresses: ipv4Addresses,
    ipv6_48s: ipv6Slash48s,
    spf_terms: terms.map((one) => ({
      term: one.term,
      ipv4_addresses: one.ipv4Addresses,
      ipv6_48s: one.ipv6Slash48s,
    })),
    dangling: [
      ...named('spf', includes),
      ...named('mx', hosts),
      ...named(
        'dkim',
        dkim.dangling.map(({ target }) => target),
      ),
      ...named('dmarc', policy),
    ],
    readiness: describeReadiness(domain, findings),
  };
}

function named(part: Part, names: readonly string[]): Evidence['dangling'] {
  return [...new Set(names)].slice(0, MAX_NAMES).map((name) => ({ part, name }));
}

const MAX_NAMES = 50;

/** Fingerprint of the key itself. `''` without one. */
export function keyFingerprint(key: Pick<DkimReport, 'raw'>): string {
  const data = keyDataOf(key);
  return data === '' ? '' : createHash('sha256').update(data).digest('hex').slice(0, FINGERPRINT_CHARACTERS);
}

const FINGERPRINT_CHARACTERS = 16;

/** Who receives the mail: the names of providers, or the registrable domains of the hosts. */
export function mailboxProviders(mxHosts: readonly string[]): string[] {
  const names = mxHosts.filter((host) => host !== '.').map((host) => providerOf(host)?.name ?? organizationOf(host));
  return [...new Set(names)].sort();
}
