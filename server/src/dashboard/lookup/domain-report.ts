/** An email check as the dashboard shows it: the report of the API, and where its points come from. */
import { formatFinding } from '@whence/email/internal/findings/finding-text';
import type { MailHost } from '@whence/email/internal/mx/mx';
import { providerOf } from '@whence/email/internal/providers';
import { describeReadiness } from '@whence/email/internal/report/evidence';
import { gradeText, type Part, partViews, verdictOf } from '@whence/email/internal/report/part-state';
import { MAX_POINTS } from '@whence/email/internal/score/score';
import type { SpfNode } from '@whence/email/internal/spf/lookups';
import { describeAdvice, describeSenderRules } from '../../email-checks/check-details.ts';
import type { Checked } from '../../email-checks/examine-mail.ts';
import type { MxHost, SpfTreeNode } from '../wire/domains.ts';

/** Shown addresses of one host, which may have any number. */
const MAX_ADDRESSES = 8;

export function describeExamination({ answer: report, score, advice, findings }: Checked) {
  const points = (part: Part) => ({ points: score[part], max: MAX_POINTS[part] });
  const verdict = verdictOf(findings);
  const views = partViews(report, verdict);
  const view = (part: Part) => ({ state: views[part].state, is_valid: views[part].isValid, words: views[part].words });
  return {
    report,
    points: { mx: points('mx'), spf: points('spf'), dkim: points('dkim'), dmarc: points('dmarc') },
    parts: { mx: view('mx'), spf: view('spf'), dkim: view('dkim'), dmarc: view('dmarc') },
    grade_text: gradeText(report, verdict),
    does_exist: !findings.mx.report.errors.some(({ code }) => code === 'domain_not_found'),
    risk: verdict.risk,
    is_finished: verdict.isFinished,
    advice: advice.map(describeAdvice),
    readiness: describeReadiness(report.domain, findings),
    sender_rules: describeSenderRules(findings),
    spf_records: [...findings.spf.records],
    spf_tree: describeSpfNode(findings.spf.tree),
    spf_void_lookups: findings.spf.voidLookups,
    mx_state: findings.mx.state,
    mx_hosts: findings.mx.hosts.map(describeMailHost),
    is_dkim_wildcard: findings.dkim.isWildcard,
    is_dmarc_test_mode: findings.dmarc.isTestMode,
  };
}

function describeMailHost({ host, preference, addresses }: MailHost): MxHost {
  const provider = providerOf(host)?.name;
  const shown = addresses.slice(0, MAX_ADDRESSES);
  return { host, preference, addresses: shown, ...(provider === undefined ? {} : { provider }) };
}

function describeSpfNode({ name, via, raw, lookups, errors: problems, children }: SpfNode): SpfTreeNode {
  return { name, via, raw, lookups, errors: problems.map(formatFinding), children: children.map(describeSpfNode) };
}
