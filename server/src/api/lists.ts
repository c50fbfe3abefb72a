/** `GET /v1/lists/{name}.{format}`: the prefixes of a list in the rules file, for firewalls. */
import type { FastifyReply } from 'fastify';
import { listPath, type WrittenList } from '../geoip-files/file-index.ts';
import { LIST_FORMATS, type ListFormat } from '../geoip-files/list-formats.ts';
import { ApiError } from '../http/errors.ts';
import type { RequestOf } from '../http/json-schema.ts';
import { type LiveRules, NO_RULES } from '../rules/live-rules.ts';
import { DATABASE, type DatabaseDependencies, reprDigest, sendFile } from './databases.ts';
import type { listSchema } from './schemas/databases.ts';

export const LIST = { ...DATABASE, counts: 'list' } as const;

type ListDependencies = DatabaseDependencies & { readonly rules: LiveRules | undefined };

export function getList(dependencies: ListDependencies) {
  const { databases } = dependencies;
  return (request: RequestOf<typeof listSchema>, reply: FastifyReply) =>
    sendFile(dependencies, request, reply, () => {
      const { list, format } = requireList(dependencies, request.params.list);
      return {
        path: listPath(databases.dataDir, list, format),
        bytes: list.bytes[format],
        state: {
          etag: list.etag,
          // A list that is held back names the version that it is from.
          ...(list.heldFrom !== undefined && { 'x-whence-held': String(list.version) }),
        },
        hasRanges: true,
        headers: {
          'Content-Type': `${format === 'json' ? 'application/json' : 'text/plain'}; charset=utf-8`,
          'Repr-Digest': reprDigest(list.sha256[format]),
        },
        counted: [`${list.name}.${format}`, list.version],
      };
    });
}

/** By its name, a dot and the format. */
function requireList(
  { databases, rules }: ListDependencies,
  wanted: string,
): { readonly list: WrittenList; readonly format: ListFormat } {
  const [, name = '', extension] = /^(.+)\.([a-z]+)$/.exec(wanted) ?? [];
  const lists = rules?.file?.lists;
  const format = LIST_FORMATS.find((candidate) => candidate === extension);
  // Without valid rules it is not known which lists there should be.
  const isExpected = rules !== undefined && (lists === undefined || lists.has(name));
  if (!isExpected || format === undefined)
    throw new ApiError('LIST_NOT_FOUND', {
      extra: {
        details: {
          lists: [...(lists?.keys() ?? [])],
          formats: LIST_FORMATS,
          ...(rules === undefined && NO_RULES),
        },
      },
    });
  const list = lists && databases.lists?.lists.find((written) => written.name === name);
  if (list === undefined) throw new ApiError('FILES_NOT_WRITTEN');
  if (list.isUnavailable === true) throw new ApiError('LIST_UNAVAILABLE');
  return { list, format };
}
