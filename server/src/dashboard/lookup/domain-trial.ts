/** A tried change as the dashboard shows it: both checks side by side, and the findings that differ. */
import { gradeText, type Part, verdictOf } from '@whence/email/internal/report/part-state';
import { MAX_POINTS } from '@whence/email/internal/report/score';
import type { Trial } from '../../email-checks/email-checks.ts';
import type { Checked } from '../../email-checks/examine-mail.ts';
import type { DomainTrial, TrialFinding, TrialState } from '../wire/domains.ts';

/** Networks that are named; the number of addresses is of all. */
const MAX_NETWORKS = 8;

export function describeTrial({ before, after }: Trial): DomainTrial {
  const [then, now] = [findingsOf(before), findingsOf(after)];
  return {
    before: describeState(before),
    after: describeState(after),
    appeared: now.filter((finding) => !has(then, finding)),
    vanished: then.filter((finding) => !has(now, finding)),
  };
}

function describeState({ answer, score, findings }: Checked): TrialState {
  const points = (part: Part) => ({ points: score[part], max: MAX_POINTS[part] });
  const verdict = verdictOf(findings);
  const { networks } = answer;
  return {
    score: answer.domain_auth_score,
    grade_text: gradeText(answer, verdict),
    points: { mx: points('mx'), spf: points('spf'), dkim: points('dkim'), dmarc: points('dmarc') },
    risk: verdict.risk,
    spf_lookups: findings.spf.tree.lookups,
    spf_errors: answer.spf.validation_errors,
    dmarc_errors: answer.dmarc.validation_errors,
    ...(networks && {
      senders: {
        ipv4_addresses: networks.ipv4_addresses,
        ipv6_48s: networks.ipv6_48s,
        open_to_all: networks.open_to_all,
        networks: networks.carriers
          .filter(({ ipv4_addresses }) => ipv4_addresses > 0)
          .sort((a, b) => b.ipv4_addresses - a.ipv4_addresses)
          .slice(0, MAX_NETWORKS)
          .map(({ asn, asn_name, ipv4_addresses }) => ({ asn, asn_name, ipv4_addresses })),
      },
    }),
  };
}

function findingsOf({ answer: { mx, spf, dkim, dmarc } }: Checked): TrialFinding[] {
  const found = (part: Part, errors: readonly string[]) => errors.map((text): TrialFinding => ({ part, text }));
  return [
    ...found('mx', mx.errors),
    ...found('spf', spf.validation_errors),
    ...dkim.flatMap(({ selector, validation_errors }) =>
      validation_errors.map((error): TrialFinding => ({ part: 'dkim', text: withSelector(error, selector) })),
    ),
    ...found('dmarc', dmarc.validation_errors),
  ];
}

/** The code stays in front. */
function withSelector(error: string, selector: string): string {
  const colon = error.indexOf(': ');
  return colon < 0 ? `${error}: ${selector}` : `${error.slice(0, colon)}: ${selector}: ${error.slice(colon + 2)}`;
}

function has(findings: readonly TrialFinding[], { part, text }: TrialFinding): boolean {
  return findings.some((known) => known.part === part && known.text === text);
}
