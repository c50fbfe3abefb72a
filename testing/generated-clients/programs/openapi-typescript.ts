/**
 * Uses every endpoint through the types that openapi-typescript generates, and proves that they and the types of
 * `@whence/client` describe the same answers. The test compiles it; nothing of it runs.
 */
import type * as wire from '@whence/client/wire';
import type { components, paths } from '../dist/openapi-typescript/schema.ts';

type Schemas = components['schemas'];
/** Each assignable to the other; the generated types write the same objects in another way. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

export const proofs: true[] = [
  true satisfies Same<Schemas['ErrorCode'], wire.ErrorCode>,
  true satisfies Same<Schemas['IpRecord'], wire.IpAnswer>,
  true satisfies Same<Schemas['Detection'], wire.Detection>,
  true satisfies Same<Schemas['Threat'], wire.Threat>,
  true satisfies Same<Schemas['Evidence'], wire.Evidence>,
  true satisfies Same<Schemas['Routing'], wire.Routing>,
  true satisfies Same<Schemas['Privacy'], wire.Privacy>,
  true satisfies Same<Schemas['Hostname'], wire.Hostname>,
  true satisfies Same<Schemas['Registration'], wire.Registration>,
  true satisfies Same<Schemas['IpMeta'], wire.IpMeta>,
  true satisfies Same<Schemas['IpNotFoundMeta'], wire.IpNotFoundMeta>,
  true satisfies Same<Schemas['BatchMeta'], wire.BatchMeta>,
  true satisfies Same<Schemas['BatchRequest'], wire.BatchRequest>,
  true satisfies Same<Schemas['PrefixContent'], wire.PrefixContent>,
  true satisfies Same<Schemas['AsnRecord'], wire.AsnAnswer>,
  true satisfies Same<Schemas['AsnSearchAnswer'], wire.AsnSearchAnswer>,
  true satisfies Same<Schemas['EmailReport'], wire.EmailReport>,
  true satisfies Same<Schemas['TransportReport'], wire.TransportReport>,
  true satisfies Same<Schemas['NetworksReport'], wire.NetworksReport>,
  true satisfies Same<Schemas['DatasetDiff'], wire.DatasetDiff>,
  true satisfies Same<Schemas['HealthReport'], wire.HealthReport>,
  // Pairs are lists of any length in the generated types.
  true satisfies Same<keyof Schemas['DatasetReport'], keyof wire.DatasetReport>,
  true satisfies Same<Omit<Schemas['QualityRow'], 'interval'>, Omit<wire.QualityRow, 'interval'>>,
  true satisfies wire.DatasetReport extends Schemas['DatasetReport'] ? true : false,
  true satisfies wire.BatchAnswer extends Record<string, { error: string } | Schemas['IpRecord']> ? true : false,
];

type Get = { [Path in keyof paths]: paths[Path] extends { get: infer Operation } ? Operation : never };
type Json<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never;
type AnswerOf<Operation> = Operation extends { responses: { 200: infer Response } } ? Json<Response> : never;
type RefusalOf<Operation> = Operation extends { responses: infer Responses }
  ? Json<Responses[Exclude<keyof Responses, 200>]>
  : never;
type ParametersOf<Operation> = Operation extends { parameters: infer Parameters } ? Parameters : never;

declare function get<Path extends keyof Get>(
  path: Path,
  parameters: ParametersOf<Get[Path]>,
): Promise<AnswerOf<Get[Path]> | RefusalOf<Get[Path]>>;
declare function look<Path extends keyof Get>(
  path: Path,
  parameters: ParametersOf<Get[Path]>,
): Promise<AnswerOf<Get[Path]>>;
type Batch = paths['/v1/ip/batch']['post'];
declare function post(body: Batch['requestBody']['content']['application/json']): Promise<AnswerOf<Batch>>;

export async function everyEndpoint(): Promise<unknown[]> {
  const record = (
    await look('/v1/ip/{ip}', { path: { ip: '8.8.8.8' }, query: { explain: true, include: ['routing'] } })
  ).data;
  const origins: number[] = (record.routing?.origins ?? []).map(({ asn }) => asn);
  const own: wire.IpAnswer = (await look('/v1/ip/me', {})).data;
  const batch = (await post({ ips: ['8.8.8.8'], include: ['privacy'] })).data;
  const prefix: wire.PrefixContent = (await look('/v1/prefix/{cidr}', { path: { cidr: '8.8.8.0/24' } })).data;
  const network = (await look('/v1/asn/{asn}', { path: { asn: 'AS15169' }, query: { include_prefixes: true } })).data;
  const search = (await look('/v1/asn/search', { query: { q: 'google', limit: 5 } })).data;
  const report: wire.EmailReport = (
    await look('/v1/email/domain/{domain}/dns', { path: { domain: 'example.com' }, query: { include: ['transport'] } })
  ).data;
  const dataset = (await look('/v1/dataset', {})).data;
  const diff: wire.DatasetDiff = (await look('/v1/dataset/diff', { query: { from: 1, to: 2 } })).data;
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
  return [origins, own, batch['8.8.8.8'], prefix, network.prefixes, search, report, dataset, diff, health, ready, code];
}
