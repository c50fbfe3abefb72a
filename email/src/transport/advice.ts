// What to publish so that mail is protected on its way to the domain: TLS-RPT, and record and
// policy of MTA-STS, with what must be in place before. Not for domains that take no mail.
import { createHash } from 'node:crypto';
import { aliasOf, type Resolver } from '../dns/answer.ts';
import type { Wildcard } from '../dns/wildcard.ts';
import { hasCode } from '../findings/finding.ts';
import { looksUnused, receivesMail } from '../readiness/mail-role.ts';
import { type ProposedRecord, zoneFileLine } from '../records/zone-file.ts';
import type { TransportRecommendation } from '../report.ts';
import type { Findings } from '../score/score.ts';
import type { CheckedTransport } from './check-transport.ts';
import { hasFullDane } from './dane.ts';

type TransportAdvice = {
  readonly text: string;
  readonly record?: ProposedRecord;
  readonly file?: { readonly url: string; readonly text: string };
};

type TransportEvidence = {
  readonly domain: string;
  readonly findings: Findings;
  readonly transport: CheckedTransport;
  readonly resolver: Resolver;
  /**
   * A record below a domain that a wildcard answers for would take the wildcard's records away from
   * it.
   */
  readonly wildcard: Wildcard;
};

/** The report with what to publish. */
export async function withRecommendations(evidence: TransportEvidence): Promise<CheckedTransport> {
  const { findings, transport } = evidence;
  if (receivesMail(findings) !== 'yes' || looksUnused(findings)) return transport;
  const allowed = async (advice: readonly TransportAdvice[]) => {
    const publishable = await Promise.all(advice.map((item) => mayPublish(item, evidence)));
    return advice.map((item, i) =>
      renderAdvice(publishable[i] === true ? item : withoutRecord(item)),
    );
  };
  const [mtaSts, tlsRpt] = await Promise.all([
    allowed(adviseMtaSts(evidence)),
    allowed(adviseTlsRpt(evidence)),
  ]);
  return {
    ...transport,
    mta_sts: { ...transport.mta_sts, recommendations: mtaSts },
    tls_rpt: { ...transport.tls_rpt, recommendations: tlsRpt },
  };
}

/**
 * Not at an alias (RFC 1034 §3.6.2), and not where a wildcard answers for the domain (RFC 4592).
 */
async function mayPublish(
  { record }: TransportAdvice,
  { resolver, wildcard }: TransportEvidence,
): Promise<boolean> {
  if (record === undefined) return true;
  // The check has asked this question: no other is sent.
  const alias = aliasOf(await resolver.txt(record.name));
  return wildcard.answersForDomain === 'no' && (alias === undefined || alias === wildcard.alias);
}

function withoutRecord({ record, ...rest }: TransportAdvice): TransportAdvice {
  return rest;
}

function adviseTlsRpt({ domain, transport }: TransportEvidence): TransportAdvice[] {
  if (!hasCode(transport.tls_rpt.validation_errors, 'no_tls_rpt_record')) return [];
  const text = `Senders do not report when TLS to the MX hosts of ${domain} fails. Create the mailbox tls-reports@${domain} first, or name another.`;
  const record = {
    name: `_smtp._tls.${domain}`,
    type: 'TXT',
    text: `v=TLSRPTv1; rua=mailto:tls-reports@${domain}`,
  } as const;
  return [{ text, record }];
}

/** Weeks or more, says RFC 8461 §3.2: an attacker has to block the policy for as long. */
const SHORT_AGE_SECONDS = 604_800;
const FIRST_AGE_SECONDS = 604_800;
const USUAL_AGE_SECONDS = 2_592_000;

function adviseMtaSts(evidence: TransportEvidence): TransportAdvice[] {
  const { domain, findings, transport } = evidence;
  const { mta_sts } = transport;
  // A policy that leaves out a host stops its mail, so all of them must be known.
  if (findings.mx.state !== 'valid') return [];
  if (hasCode(mta_sts.validation_errors, 'no_mta_sts_record')) {
    const text = `Senders ${hasFullDane(transport.dane) ? 'that do not use DANE ' : ''}deliver to ${domain} without checking certificates. Before: each MX host must have a certificate for its own name, and https://mta-sts.${domain} a valid one. Publish the policy there first, then the record, and change testing to enforce when the reports show no failure.`;
    return [{ text, ...policyOf(evidence, 'testing', FIRST_AGE_SECONDS) }];
  }
  if (!mta_sts.policy_found) return [];
  const unlisted = mta_sts.validation_errors.some(({ code }) => code === 'policy_without_host');
  const mode = mta_sts.mode === '' ? 'testing' : mta_sts.mode;
  if (unlisted) {
    const text =
      'The MTA-STS policy does not name every MX host. Publish the policy with all of them, then the record with a new id.';
    return [{ text, ...policyOf(evidence, mode, mta_sts.max_age || USUAL_AGE_SECONDS) }];
  }
  if (!mta_sts.is_valid) return [];
  if (mode === 'none') {
    const text =
      'The MTA-STS policy is switched off (mode: none): senders do not check certificates. To switch it on, begin with testing; to end it, remove record and policy when max_age has passed.';
    return [{ text, ...policyOf(evidence, 'testing', FIRST_AGE_SECONDS) }];
  }
  if (mode === 'testing') {
    const text =
      'The MTA-STS policy is in testing mode: senders report a failure of TLS, and deliver all the same. When the reports show none, publish the policy with enforce, then the record with a new id.';
    return [
      { text, ...policyOf(evidence, 'enforce', Math.max(mta_sts.max_age, USUAL_AGE_SECONDS)) },
    ];
  }
  if (mta_sts.max_age >= SHORT_AGE_SECONDS) return [];
  const text = `Senders forget the MTA-STS policy after ${mta_sts.max_age} s, and an attacker has to keep it from them for no longer; weeks are usual (RFC 8461 section 3.2). Publish the policy with a longer max_age, then the record with a new id.`;
  return [{ text, ...policyOf(evidence, 'enforce', USUAL_AGE_SECONDS) }];
}

function policyOf(
  { domain, findings }: TransportEvidence,
  mode: 'testing' | 'enforce' | 'none',
  maxAgeSeconds: number,
): Required<Pick<TransportAdvice, 'record' | 'file'>> {
  const hosts = findings.mx.report.records;
  const lines = [
    'version: STSv1',
    `mode: ${mode}`,
    ...hosts.map((host) => `mx: ${host}`),
    `max_age: ${maxAgeSeconds}`,
  ];
  const text = `${lines.join('\r\n')}\r\n`;
  // §3.1: senders fetch the policy again when the id changes; any text that changes with it will
  // do.
  const id = createHash('sha256').update(text).digest('hex').slice(0, ID_CHARACTERS);
  return {
    record: { name: `_mta-sts.${domain}`, type: 'TXT', text: `v=STSv1; id=${id}` },
    file: { url: `https://mta-sts.${domain}/.well-known/mta-sts.txt`, text },
  };
}

const ID_CHARACTERS = 16;

function renderAdvice({ text, record, file }: TransportAdvice): TransportRecommendation {
  return {
    text,
    record: record === undefined ? '' : zoneFileLine(record),
    file_url: file?.url ?? '',
    file: file?.text ?? '',
  };
}
