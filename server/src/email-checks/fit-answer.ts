// Bounds a report with sections. Only hostile zones exceed it; they lose lists, but no finding that
// is scored.
import {
  type EmailReport,
  MAX_REPORT_BYTES,
  type SmtpReport,
  type SmtpServer,
  type TransportReport,
} from '@whence/email/report';
import type { CheckDetails } from './check-details.ts';
import type { NetworksReport } from './mail-networks.ts';

export type EmailAnswer = { [Field in keyof WithSections]: WithSections[Field] };
type WithSections = EmailReport & {
  /** With any section: a stable code for each recommendation, in the same order. */
  recommendation_codes?: string[];
  networks?: NetworksReport;
  smtp?: SmtpReport;
  details?: CheckDetails;
};

export function fitAnswer(answer: EmailAnswer): EmailAnswer {
  let fitted = answer;
  for (const shorten of SHORTENINGS) {
    if (SECTIONS.every((name) => answer[name] === undefined)) break;
    if (Buffer.byteLength(JSON.stringify(fitted)) < MAX_REPORT_BYTES) break;
    fitted = shorten(fitted);
  }
  return fitted;
}

const SECTIONS = ['transport', 'networks', 'smtp', 'details'] as const;

const SHORTENINGS: readonly ((answer: EmailAnswer) => EmailAnswer)[] = [
  ({ details, ...rest }) =>
    details === undefined ? rest : { ...rest, details: shortDetails(details) },
  (answer) => withNetworks(answer, 20),
  (answer) => withNetworks(answer, 0),
  ({ smtp, ...rest }) =>
    smtp === undefined
      ? rest
      : { ...rest, smtp: { ...smtp, servers: smtp.servers.map(shortServer) } },
  ({ transport, ...rest }) =>
    transport === undefined ? rest : { ...rest, transport: shortTransport(transport) },
];

function withNetworks({ networks, ...rest }: EmailAnswer, entries: number): EmailAnswer {
  if (networks === undefined) return rest;
  const { mx, senders, unlisted_terms, errors, ...counts } = networks;
  const lists = {
    mx: mx.slice(0, entries),
    senders: senders.slice(0, entries),
    unlisted_terms: unlisted_terms.slice(0, entries),
    errors: errors.slice(0, entries),
  };
  return { ...rest, networks: { ...counts, ...lists } };
}

/** Without the terms below the record of the domain. */
function shortDetails({ spf_tree, ...rest }: CheckDetails): CheckDetails {
  return { ...rest, spf_tree: spf_tree.slice(0, 1) };
}

function shortServer({ certificate, validation_errors, ...rest }: SmtpServer): SmtpServer {
  return {
    ...rest,
    certificate: { ...certificate, names: CUT },
    validation_errors: validation_errors.slice(0, 1),
  };
}

/** Keeps what was found, and one error per protocol. */
function shortTransport({
  mta_sts,
  tls_rpt,
  dane,
  bimi,
  dnssec,
  sender_rules,
}: TransportReport): TransportReport {
  return {
    mta_sts: { ...short(mta_sts), mx: CUT },
    tls_rpt: { ...short(tls_rpt), report_uris: CUT },
    dane: { ...dane, hosts: [], validation_errors: dane.validation_errors.slice(0, 1) },
    bimi: short(bimi),
    dnssec,
    sender_rules,
  };
}

const CUT = ['…'];

function short<Part extends { raw: string; validation_errors: string[] }>(part: Part): Part {
  const advice = 'recommendations' in part ? { recommendations: [] } : {};
  return { ...part, raw: '…', validation_errors: part.validation_errors.slice(0, 1), ...advice };
}
