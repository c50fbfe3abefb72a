/** `GET /v1/lists/{name}.{format}`: the prefixes of a list in the rules file, for firewalls. */
import type { FastifyReply } from 'fastify';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { listPrefixes } from '../geoip-files/address-list.ts';
import { LIST_FORMATS, type ListFile, renderList } from '../geoip-files/list-formats.ts';
import { CACHING, isKnownTag, sendNotModified } from '../http/conditional.ts';
import { sendJsonData } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { RequestOf } from '../http/json-schema.ts';
import { DatasetWalks } from '../lookup/dataset-walks.ts';
import type { EventLoopSlices } from '../lookup/event-loop-slices.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import { type LiveRules, NO_RULES } from '../rules/live-rules.ts';
import { requesterOf } from './admit.ts';
import type { listSchema } from './schemas/databases.ts';

export const LIST: KeyDeclaration = {
  access: 'database:read',
  counts: 'list',
  costs: ['scan', 'turn'],
  charges: 'files',
  keyIn: ['basic'],
};

type ListDependencies = {
  readonly live: LiveDataset;
  readonly rules: LiveRules | undefined;
  readonly slices: EventLoopSlices;
};

/** Files are kept as long as the dataset is in use: 18 bytes for each prefix. */
export function getList({ live, rules, slices }: ListDependencies) {
  const walks = new DatasetWalks(slices);
  return async (request: RequestOf<typeof listSchema>, reply: FastifyReply) => {
    const { dataset } = requireDataset(live);
    const [, name = '', extension] = /^(.+)\.([a-z]+)$/.exec(request.params.list) ?? [];
    const list = rules?.file?.lists.get(name);
    const format = LIST_FORMATS.find((candidate) => candidate === extension);
    if (list === undefined || format === undefined)
      throw new ApiError('LIST_NOT_FOUND', {
        extra: {
          details: {
            lists: [...(rules?.file?.lists.keys() ?? [])],
            formats: LIST_FORMATS,
            ...(rules === undefined && NO_RULES),
          },
        },
      });
    const { conditions } = list;
    const file = await walks.run(
      dataset,
      JSON.stringify([name, format, conditions]),
      requesterOf(request, reply),
      async (yieldToEventLoop): Promise<ListFile> =>
        renderList({ name, prefixes: await listPrefixes(conditions, dataset, yieldToEventLoop), dataset }, format),
    );
    reply.header('ETag', file.etag).header('Cache-Control', CACHING);
    if (isKnownTag(request.headers['if-none-match'], file.etag)) return sendNotModified(reply);
    if (format === 'json') return sendJsonData(request, reply, file.body);
    return reply.type(file.type).send(file.body);
  };
}
