/**
 * Keeps a report with what was included below the size that one without has. A zone that makes both as large as they get
 * is hostile: it loses lists, from the least important on, and never a finding of the four parts.
 */
import { MAX_REPORT_BYTES, type TransportReport } from '@whence/email/report';
import type { EmailAnswer } from './email-checks.ts';

export function fitAnswer(answer: EmailAnswer): EmailAnswer {
  let fitted = answer;
  for (const shorten of SHORTENINGS) {
    if (answer.transport === undefined && answer.networks === undefined) break;
    if (Buffer.byteLength(JSON.stringify(fitted)) < MAX_REPORT_BYTES) break;
    fitted = shorten(fitted);
  }
  return fitted;
}

const SHORTENINGS: readonly ((answer: EmailAnswer) => EmailAnswer)[] = [
  (answer) => withNetworks(answer, 20),
  (answer) => withNetworks(answer, 0),
  ({ transport, ...rest }) => (transport === undefined ? rest : { ...rest, transport: shortTransport(transport) }),
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

/** What is found stays, with one error of each part. */
function shortTransport({ mta_sts, tls_rpt, dane, bimi, dnssec }: TransportReport): TransportReport {
  return {
    mta_sts: { ...short(mta_sts), mx: CUT },
    tls_rpt: { ...short(tls_rpt), report_uris: CUT },
    dane: { ...dane, hosts: [], validation_errors: dane.validation_errors.slice(0, 1) },
    bimi: short(bimi),
    dnssec,
  };
}

const CUT = ['…'];

function short<Part extends { raw: string; validation_errors: string[] }>(part: Part): Part {
  return { ...part, raw: '…', validation_errors: part.validation_errors.slice(0, 1) };
}
