/** `GET /v1/decide`. */
import {
  allOptional,
  list,
  namedObject,
  object,
  oneOfTexts,
  optional,
  string,
  switchParameter,
  typed,
} from '../../http/json-schema.ts';
import { DECISIONS } from '../../rules/decide.ts';
import { evidence, ipRecord } from './ip-record.ts';
import { envelope, operation, refusal, refusals, UNAVAILABLE } from './refusals.ts';

const decision = namedObject('Decision', {
  decision: oneOfTexts(
    DECISIONS,
    'observe: the request would be refused if the set were enforced.',
  ),
  rule: optional(string('The rule that decided; absent for the default.', 'no-tor-at-login')),
  matched: optional(
    typed<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Each condition of the rule with what met it.',
    }),
  ),
  record: optional(ipRecord),
  evidence: optional(list(evidence)),
  not_known: list(string('A flag that no source of the dataset knows: it never matches.', 'proxy')),
});

export const decideSchema = operation('Decisions', {
  operationId: 'decide',
  summary: 'Whether a request may pass',
  description:
    'For auth_request, forward_auth and the like. The first rule of the set that matches decides. 204: allowed. A refused request gets the status of its rule, 403 by default, and X-Whence-Decision: deny. A refusal of this request itself does not have that header, except 400, 414 and 431, which the client of a proxy can cause. Headers: X-Whence-Decision, -Rule, -Country, -Asn, -Type, -Flags, -Score.',
  querystring: object(
    allOptional({
      ip: string(
        'The address that asks. By default the client’s, by the rule of trusted proxies.',
        '198.51.100.7',
      ),
      host: string('By default X-Forwarded-Host of a trusted proxy.', 'www.example.com'),
      path: string('By default X-Forwarded-Uri of a trusted proxy.', '/login'),
      method: string('By default X-Forwarded-Method of a trusted proxy.', 'POST'),
      set: string('Name of the rule set.', 'default'),
      explain: switchParameter(
        'Answers 200 with the rule, what met its conditions, the record and its evidence.',
      ),
    }),
  ),
  response: {
    200: envelope('With explain=true.', decision),
    204: { type: 'null', description: 'Allowed.' },
    400: refusal('Not an address, or a parameter that is neither true nor false.', [
      'INVALID_IP',
      'INVALID_QUERY',
    ]),
    404: refusal('No such rule set.', 'RULE_SET_NOT_FOUND'),
    ...refusals,
    403: refusal('The key lacks the permission, or the request is refused: a text.', 'FORBIDDEN'),
    503: refusal('As elsewhere, or no rules were ever valid.', [
      ...UNAVAILABLE,
      'RULES_UNAVAILABLE',
    ]),
  },
});
