/** Answers plain decisions: the question of the query and of the headers of a trusted proxy, and the answer as bytes. */
import { parseAddress } from '@whence/dataset/address';
import { ApiError } from '../../http/errors.ts';
import { parseClient } from '../../limits/client.ts';
import {
  type AskedDecision,
  countDecision,
  DECIDE,
  decide,
  decisionAnswer,
  repeatedParameter,
  TEXT,
} from '../decide.ts';
import type { PlainDependencies, PlainRoute } from './plain-route.ts';
import { textAnswers } from './text-answer.ts';

const NO_QUERY: Readonly<Record<string, string>> = {};

export function plainDecision({ metrics, rules, clients, extraHeaders }: PlainDependencies): PlainRoute<AskedDecision> {
  const write = textAnswers(extraHeaders);
  return {
    declaration: DECIDE,
    read(bytes, request, connection) {
      const query = request.text === '' ? NO_QUERY : Object.fromEntries(new URLSearchParams(request.text));
      const { ip, host, path, method, set } = query;
      const isForwarded = clients.isProxy(connection);
      return {
        address: ip === undefined ? parseClient(clients.clientOfRequest(bytes, request, connection)) : parseAddress(ip),
        host: host ?? (isForwarded ? request.forwardedHost.textIn(bytes) : undefined),
        path: path ?? (isForwarded ? request.forwardedUri.textIn(bytes) : undefined),
        method: method ?? (isForwarded ? request.forwardedMethod.textIn(bytes) : undefined),
        set,
        repeated: repeatedParameter(request.text),
      };
    },
    answer(asked, served, charged, _elapsedMs, nowMs) {
      const decided = decide(rules, served, asked);
      if (decided instanceof ApiError) return decided;
      countDecision(metrics, decided);
      const { status, headers, body } = decisionAnswer(decided);
      const answer = write({ status, headers, ...(body !== undefined && { type: TEXT, body }) }, charged, nowMs);
      return { answer, status };
    },
  };
}
