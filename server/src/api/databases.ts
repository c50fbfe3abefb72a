/** `GET /v1/databases` and `GET /v1/databases/{name}`: files of the current version and the one before, for other programs. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { tarFolder } from '../geoip-files/archives.ts';
import type { DatabaseForm, DatabaseVersion } from '../geoip-files/file-index.ts';
import type { FoundDatabase, LiveGeoipFiles } from '../geoip-files/live-geoip-files.ts';
import { CACHING, isNotModified, parseRange, sendNotModified } from '../http/conditional.ts';
import { envelope } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { RequestOf } from '../http/json-schema.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { requesterOf } from './admit.ts';
import type { databaseSchema } from './schemas/databases.ts';

export const DATABASE: KeyDeclaration = {
  access: 'database:read',
  counts: 'database',
  costs: ['download'],
  charges: 'files',
  keyIn: ['basic'],
};
/** What is known about files is not charged. */
export const DATABASE_LIST: KeyDeclaration = { ...DATABASE, costs: ['lookup'], charges: 'nothing' };

export type DatabaseDependencies = { readonly databases: LiveGeoipFiles; readonly metrics: Metrics };

export function listDatabases({ databases }: DatabaseDependencies) {
  return (request: FastifyRequest) =>
    envelope(request, {
      databases: databases.versions.flatMap(({ version, builtAt, files }, i) =>
        files.map(({ name, edition, bytes, sha256, md5 }) => ({
          name,
          edition,
          version,
          is_current: i === 0,
          built_at: builtAt,
          bytes: bytes.mmdb,
          sha256,
          md5,
        })),
      ),
      ...(databases.versions[0] && { notice: databases.versions[0].notice }),
    });
}

export function getDatabase(dependencies: DatabaseDependencies) {
  return (request: RequestOf<typeof databaseSchema>, reply: FastifyReply) => {
    const { params, query } = request;
    const wanted = query.version;
    if (wanted !== undefined && !/^[1-9]\d{0,9}$/.test(wanted)) throw new ApiError('INVALID_VERSION');
    const isWanted = ({ version }: DatabaseVersion) => wanted === undefined || version === Number(wanted);
    const find = () => dependencies.databases.find(params.name.replace(/\.mmdb$/, ''), isWanted);
    return sendDatabase(dependencies, request, reply, find, 'mmdb');
  };
}

/** Names in lower case, as they are sent. */
export function stateHeaders({ version, file }: FoundDatabase, form: DatabaseForm) {
  return {
    etag: form === 'mmdb' ? `"${file.sha256}"` : `"${file.sha256}.${form}"`,
    'last-modified': new Date(version.builtAt).toUTCString(),
    'x-database-md5': file.md5,
  };
}

const TYPES: Readonly<Record<DatabaseForm, string>> = {
  mmdb: 'application/vnd.maxmind.maxmind-db',
  gz: 'application/gzip',
  'tar.gz': 'application/gzip',
};

/** Versions may be replaced between two looks at the index; more often than this only if they are replaced all the time. */
const MAX_TRIES = 5;

/**
 * 304, 206, or the whole file. Headers of the file are set once it is open: a refusal has none of them. `find` is called
 * again if the file was removed because newer versions have replaced it.
 */
export async function sendDatabase(
  { databases, metrics }: DatabaseDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  find: () => FoundDatabase,
  form: DatabaseForm,
  tries = MAX_TRIES,
): Promise<FastifyReply> {
  const found = find();
  const { version, file } = found;
  const state = stateHeaders(found, form);
  const { etag } = state;
  const headers = { ...state, 'cache-control': CACHING };
  if (isNotModified(request.headers, etag, Date.parse(version.builtAt))) return sendNotModified(reply.headers(headers));
  const bytes = file.bytes[form];
  const range = form === 'mmdb' ? parseRange(request.headers, etag, bytes) : undefined;
  if (range === 'none') throw new ApiError('INVALID_RANGE', { headers: { 'Content-Range': `bytes */${bytes}` } });
  const isHead = request.method === 'HEAD';
  const content = isHead ? Readable.from([]) : await databases.read(found, form, requesterOf(request, reply), range);
  if (content === undefined) {
    if (tries === 0) throw new ApiError('VERSION_NOT_FOUND');
    await databases.update();
    return sendDatabase({ databases, metrics }, request, reply, find, form, tries - 1);
  }
  const name = form === 'tar.gz' ? tarFolder(version, file) : file.edition;
  reply.headers({
    ...headers,
    'Content-Type': TYPES[form],
    'Content-Length': range === undefined ? bytes : range.end - range.start + 1,
    'Content-Disposition': `attachment; filename="${name}.${form === 'gz' ? 'mmdb.gz' : form}"`,
    ...(form === 'mmdb' && { 'Accept-Ranges': 'bytes' }),
  });
  if (!isHead && request.key !== undefined) metrics.countDownload(request.key.id, file.name, version.version);
  if (range !== undefined) reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${bytes}`);
  return reply.send(content);
}
