/**
 * `GET /v1/email/domain/{domain}/dns`: MX, SPF, DKIM and DMARC of a domain, with score and recommendations; on request
 * also the transport security of its mail and the networks that carry it. `POST /v1/email/domain/{domain}/try`: what the check
 * would say with other records.
 */
import type { FastifyReply } from 'fastify';
import { checkForRequest } from '../email-checks/check-request.ts';
import type { EmailChecks } from '../email-checks/email-checks.ts';
import { tryForRequest } from '../email-checks/try-request.ts';
import { envelope } from '../http/envelope.ts';
import type { RequestOf } from '../http/json-schema.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requesterOf } from './admit.ts';
import type { emailDomainSchema } from './schemas/email.ts';
import type { emailTrialSchema } from './schemas/email-trial.ts';

export function getEmailDomain(emailChecks: EmailChecks, live: LiveDataset) {
  return async (request: RequestOf<typeof emailDomainSchema>, reply: FastifyReply) => {
    const { params, query } = request;
    const { answer } = await checkForRequest({ emailChecks, live }, params.domain, query, requesterOf(request, reply));
    return envelope(request, answer);
  };
}

export function postEmailTrial(emailChecks: EmailChecks, live: LiveDataset) {
  return async (request: RequestOf<typeof emailTrialSchema>, reply: FastifyReply) => {
    const { params, body } = request;
    const sources = { emailChecks, dataset: live.current?.dataset };
    return envelope(request, await tryForRequest(sources, params.domain, body, requesterOf(request, reply)));
  };
}
