/**
 * `GET /v1/databases` and `GET /v1/databases/{name}`: files of the current version and the one
 * before, for other programs.
 */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { tarFolder } from '../geoip-files/archives.ts';
import {
  type DatabaseForm,
  type DatabaseVersion,
  databasePath,
} from '../geoip-files/file-index.ts';
import type { LiveGeoipFiles, ServedDatabase } from '../geoip-files/live-geoip-files.ts';
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

export type DatabaseDependencies = {
  readonly databases: LiveGeoipFiles;
  readonly metrics: Metrics;
};

export function listDatabases({ databases }: DatabaseDependencies) {
  return (request: FastifyRequest) => {
    const { validUntil, lists = [] } = databases.lists ?? {};
    const notices = databases.current.map(({ notice }) => notice);
    return envelope(request, {
      databases: databases.all.flatMap(({ version, builtAt, validUntil, files }) =>
        files.map(({ name, edition, bytes, sha256, md5 }) => ({
          name,
          edition,
          version,
          is_current: databases.isCurrent(name, version),
          built_at: builtAt,
          valid_until: validUntil,
          bytes: bytes.mmdb,
          sha256,
          md5,
        })),
      ),
      lists: lists.map(({ name, version, heldFrom, etag, bytes }) => ({
        name,
        version,
        held_from: heldFrom,
        valid_until: validUntil,
        etag,
        bytes,
      })),
      ...(notices.length > 0 && { notice: notices.join('\n') }),
    });
  };
}

export function getDatabase(dependencies: DatabaseDependencies) {
  return (request: RequestOf<typeof databaseSchema>, reply: FastifyReply) => {
    const { params, query } = request;
    const wanted = query.version;
    if (wanted !== undefined && !/^[1-9]\d{0,9}$/.test(wanted))
      throw new ApiError('INVALID_VERSION');
    const isWanted = ({ version }: DatabaseVersion) =>
      wanted === undefined || version === Number(wanted);
    const find = () => dependencies.databases.find(params.name.replace(/\.mmdb$/, ''), isWanted);
    return sendDatabase(dependencies, request, reply, find, 'mmdb');
  };
}

function stateHeaders({ version, file }: ServedDatabase, form: DatabaseForm) {
  return {
    etag: form === 'mmdb' ? `"${file.sha256}"` : `"${file.sha256}.${form}"`,
    'last-modified': new Date(version.changedAt).toUTCString(),
    'x-database-md5': file.md5,
  };
}

const TYPES: Readonly<Record<DatabaseForm, string>> = {
  mmdb: 'application/vnd.maxmind.maxmind-db',
  gz: 'application/gzip',
  'tar.gz': 'application/gzip',
};

export async function sendDatabase(
  dependencies: DatabaseDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  find: () => ServedDatabase,
  form: DatabaseForm,
): Promise<FastifyReply> {
  return sendFile(dependencies, request, reply, () => {
    const stored = find();
    const { version, file } = stored;
    const name = form === 'tar.gz' ? tarFolder(version, file) : file.edition;
    return {
      path: databasePath(dependencies.databases.dataDir, version, file.name, form),
      bytes: file.bytes[form],
      state: stateHeaders(stored, form),
      hasRanges: form === 'mmdb',
      headers: {
        'Content-Type': TYPES[form],
        'Content-Disposition': `attachment; filename="${name}.${form === 'gz' ? 'mmdb.gz' : form}"`,
        ...(form === 'mmdb' && { 'Repr-Digest': reprDigest(file.sha256) }),
      },
      counted: [file.name, version.version],
    };
  });
}

/** Digest of the whole file, also where a part of it is sent (RFC 9530 §3). */
export const reprDigest = (sha256: string) =>
  `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;

type SentFile = {
  readonly path: string;
  readonly bytes: number;
  /** Headers that a 304 has as well. */
  readonly state: { readonly etag: string; readonly 'last-modified'?: string };
  readonly hasRanges: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly counted: readonly [name: string, version: number];
};

/**
 * Versions may be replaced between two looks at the index; more often than this only if they are
 * replaced all the time.
 */
const MAX_TRIES = 5;

/**
 * 304, 206, or the whole file. `find` is called again if newer versions have replaced the file
 * meanwhile.
 */
export async function sendFile(
  { databases, metrics }: DatabaseDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  find: () => SentFile,
  tries = MAX_TRIES,
): Promise<FastifyReply> {
  const { path, bytes, state, hasRanges, headers, counted } = find();
  const { etag } = state;
  const caching = { ...state, 'cache-control': CACHING };
  if (isNotModified(request.headers, etag, state['last-modified']))
    return sendNotModified(reply.headers(caching));
  const range = hasRanges ? parseRange(request.headers, etag, bytes) : undefined;
  if (range === 'none')
    throw new ApiError('INVALID_RANGE', { headers: { 'Content-Range': `bytes */${bytes}` } });
  const isHead = request.method === 'HEAD';
  // All keys of an account share its slots.
  const requester = {
    ...requesterOf(request, reply),
    fairnessKey: request.key?.ownerId ?? request.key?.id ?? '',
  };
  const content = isHead ? Readable.from([]) : await databases.read(path, requester, range);
  if (content === undefined) {
    if (tries === 0) throw new ApiError('VERSION_NOT_FOUND');
    await databases.update();
    return sendFile({ databases, metrics }, request, reply, find, tries - 1);
  }
  reply.headers({
    ...caching,
    ...headers,
    'Content-Length': range === undefined ? bytes : range.end - range.start + 1,
    ...(hasRanges && { 'Accept-Ranges': 'bytes' }),
  });
  if (!isHead && request.key !== undefined) metrics.countDownload(request.key.id, ...counted);
  if (range !== undefined)
    reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${bytes}`);
  return reply.send(content);
}
