/**
 * `GET /v1/email/domain/{domain}/dns`: MX, SPF, DKIM and DMARC of a domain, with score and recommendations; on request
 * also the transport security of its mail and the networks that carry it.
 */
import type { FastifyReply } from 'fastify';
import { checkForRequest } from '../email-checks/check-request.ts';
import type { EmailChecks } from '../email-checks/email-checks.ts';
import { envelope } from '../http/envelope.ts';
import type { RequestOf } from '../http/json-schema.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requesterOf } from './admit.ts';
import type { emailDomainSchema } from './schemas/email.ts';

export function getEmailDomain(emailChecks: EmailChecks, live: LiveDataset) {
  return async (request: RequestOf<typeof emailDomainSchema>, reply: FastifyReply) => {
    const { params, query } = request;
    const { answer } = await checkForRequest({ emailChecks, live }, params.domain, query, requesterOf(request, reply));
    return envelope(request, answer);
  };
}
