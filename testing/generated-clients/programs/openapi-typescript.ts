/**
 * Uses every endpoint through the types that openapi-typescript generates. Answers are those of
 * `@whence/client`. The test compiles it; nothing of it runs.
 */
import type * as wire from '@whence/client/wire';
import type { paths } from '../dist/openapi-typescript/schema.ts';

type Get = {
  [Path in keyof paths]: paths[Path] extends { get: infer Operation } ? Operation : never;
};
type Json<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body
  : never;
type AnswerOf<Operation> = Operation extends { responses: { 200: infer Response } }
  ? Json<Response>
  : never;
type RefusalOf<Operation> = Operation extends { responses: infer Responses }
  ? Json<Responses[Exclude<keyof Responses, 200>]>
  : never;
type ParametersOf<Operation> = Operation extends { parameters: infer Parameters }
  ? Parameters
  : never;

declare function get<Path extends keyof Get>(
  path: Path,
  parameters: ParametersOf<Get[Path]>,
): Promise<AnswerOf<Get[Path]> | RefusalOf<Get[Path]>>;
declare function look<Path extends keyof Get>(
  path: Path,
  parameters: ParametersOf<Get[Path]>,
): Promise<AnswerOf<Get[Path]>>;
type Batch = paths['/v1/ip/batch']['post'];
declare function post(
  body: Batch['requestBody']['content']['application/json'],
): Promise<AnswerOf<Batch>>;

export async function everyEndpoint(): Promise<unknown[]> {
  const record = (
    await look('/v1/ip/{ip}', {
      path: { ip: '8.8.8.8' },
      query: { explain: true, include: ['routing'] },
    })
  ).data;
  const origins: number[] = (record.routing?.origins ?? []).map(({ asn }) => asn);
  const own: wire.IpAnswer = (await look('/v1/ip/me', {})).data;
  const batch = (await post({ ips: ['8.8.8.8'], include: ['privacy'] })).data;
  const prefix: wire.PrefixContent = (
    await look('/v1/prefix/{cidr}', { path: { cidr: '8.8.8.0/24' } })
  ).data;
  const network = (
    await look('/v1/asn/{asn}', { path: { asn: 'AS15169' }, query: { include_prefixes: true } })
  ).data;
  const search = (await look('/v1/asn/search', { query: { q: 'google', limit: 5 } })).data;
  const report: wire.EmailReport = (
    await look('/v1/email/domain/{domain}/dns', {
      path: { domain: 'example.com' },
      query: { include: ['transport'] },
    })
  ).data;
  const dataset = (await look('/v1/dataset', {})).data;
  const health: 'ok' = (await look('/healthz', {})).data.status;
  const ready: 'ready' = (await look('/readyz', {})).data.status;

  // @ts-expect-error The text to look for is required.
  await look('/v1/asn/search', { query: { limit: 5 } });
  // @ts-expect-error No such section.
  await look('/v1/ip/{ip}', { path: { ip: '8.8.8.8' }, query: { include: ['weather'] } });
  // @ts-expect-error A switch is a boolean.
  await look('/v1/ip/{ip}', { path: { ip: '8.8.8.8' }, query: { explain: 'yes' } });

  const answer = await get('/v1/ip/{ip}', { path: { ip: '10.0.0.1' } });
  const code: wire.ErrorCode | undefined = 'code' in answer.data ? answer.data.code : undefined;
  return [
    origins,
    own,
    batch['8.8.8.8'],
    prefix,
    network.prefixes,
    search,
    report,
    dataset,
    health,
    ready,
    code,
  ];
}
