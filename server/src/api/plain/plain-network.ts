/** Answers plain requests for a network: its number without parameters. */
import { ApiError } from '../../http/errors.ts';
import { findAsn } from '../../lookup/lookup-requests.ts';
import { ASN_LOOKUP } from '../asn.ts';
import type { PlainDependencies, PlainRoute } from './plain-route.ts';
import { textAnswers } from './text-answer.ts';

export function plainNetwork({ extraHeaders }: PlainDependencies): PlainRoute<string> {
  const write = textAnswers(extraHeaders);
  return {
    declaration: ASN_LOOKUP,
    read: (_bytes, { text }) => text,
    answer(text, served, charged, elapsedMs, nowMs) {
      const record = findAsn(served, text);
      if (record instanceof ApiError) return record;
      const body = `{"data":${JSON.stringify(record)},"meta":{"processing_time_ms":${elapsedMs}}}`;
      return { answer: write({ status: 200, headers: [], body }, charged, nowMs), status: 200 };
    },
  };
}
