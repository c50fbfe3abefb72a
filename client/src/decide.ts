/**
 * The answer of `GET /v1/decide`: its status and headers say whether a request may pass. A refusal
 * is an answer, not an error.
 */
import {
  type ApiResponse,
  type HttpResponse,
  parseEnvelope,
  readRateLimit,
  readRequestId,
  toError,
} from './envelope.ts';
import type { Decision as Explanation } from './wire.ts';

/** The request to decide about. `ip` defaults to the client's address. */
export type DecisionRequest = {
  ip?: string;
  host?: string;
  path?: string;
  method?: string;
  /** Name of a rule set; `default` without it. */
  set?: string;
  /** Adds `explanation`. The answer then has neither `status` nor `text`. */
  explain?: boolean;
};

/** What is not known of the address is absent. */
type DecisionFacts = {
  /** The rule that decided; absent for the default of the set. */
  rule?: string;
  country?: string;
  asn?: number;
  type?: string;
  /** Without `is_`, such as `tor`. */
  flags: string[];
  score?: number;
  explanation?: Explanation;
};

/** `observe`: the request would be refused if the set were enforced. */
export type DecisionAnswer = DecisionFacts &
  (
    | { decision: 'allow' | 'observe' }
    | { decision: 'deny' /** What the rule refuses with. */; status?: number; text?: string }
  );

export type DecisionResponse = Omit<ApiResponse<DecisionAnswer, never>, 'meta'>;

export function parseDecision(
  response: HttpResponse,
  apiKey: string,
  now: number,
): DecisionResponse {
  const { status, headers, body } = response;
  const decision = headers.get('x-whence-decision');
  const envelope = parseEnvelope(body);
  if (decision !== 'allow' && decision !== 'observe' && decision !== 'deny')
    throw toError(response, envelope, apiKey, now);
  const rateLimit = readRateLimit(headers);
  const isExplained = status === 200 && envelope !== undefined;
  return {
    data: {
      ...factsOf(headers),
      ...(decision === 'deny'
        ? { decision, ...(!isExplained && { status, text: body.trimEnd() }) }
        : { decision }),
      ...(isExplained && { explanation: envelope.data as Explanation }),
    },
    ...(rateLimit && { rateLimit }),
    requestId: readRequestId(headers, envelope),
  };
}

function factsOf(headers: Headers): DecisionFacts {
  const text = (name: string) => headers.get(`x-whence-${name}`) || undefined;
  const [rule, country, asn, type, score] = ['rule', 'country', 'asn', 'type', 'score'].map(text);
  return {
    ...(rule !== undefined && { rule }),
    ...(country !== undefined && { country }),
    ...(asn !== undefined && { asn: Number(asn) }),
    ...(type !== undefined && { type }),
    flags: text('flags')?.split(',') ?? [],
    ...(score !== undefined && { score: Number(score) }),
  };
}
