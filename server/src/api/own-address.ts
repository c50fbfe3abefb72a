// `GET /ip`: the caller's own record without a key, if allowed. `Accept: text/plain` gets the
// address alone.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../admission/admission.ts';
import type { Declaration } from '../admission/declaration.ts';
import { clientAddress } from '../limits/client.ts';
import { answerIp, type IpDependencies } from './ip.ts';

const DECLARATION: Declaration = { access: 'public', counts: 'ip', costs: ['lookup'] };

type OwnAddressDependencies = IpDependencies & {
  readonly admission: Pick<Admission, 'admit' | 'countAnswer'>;
  readonly nowMs: () => number;
};

export function registerOwnAddress(
  scope: FastifyInstance,
  dependencies: OwnAddressDependencies,
): void {
  const { admission, nowMs } = dependencies;
  const personOf = ({ ip }: FastifyRequest) => ({ accountId: undefined, address: ip });
  const answer = answerIp(dependencies);
  scope.route({
    method: 'GET',
    url: '/ip',
    schema: { hide: true } as object,
    config: { name: 'ip', declaration: DECLARATION },
    onRequest: async (request) => {
      const requester = { kind: 'person', find: () => personOf(request) } as const;
      const { refusal } = await admission.admit(requester, DECLARATION, nowMs());
      if (refusal !== undefined) throw refusal;
    },
    onResponse: async (_request, { statusCode }) =>
      void admission.countAnswer(undefined, 'ip', statusCode, nowMs()),
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      const text = clientAddress(request.ip);
      if (prefersText(request)) return reply.type('text/plain; charset=utf-8').send(`${text}\n`);
      return answer(request, reply, text, {});
    },
  });
}

/** Only a client that names plain text and not JSON: one that accepts everything gets JSON. */
function prefersText({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /\btext\/plain\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept);
}
