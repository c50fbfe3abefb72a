/** The routes of geoipupdate 4 to 8: its protocols, the place of the key, and refusals as text. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { tarFolder } from '../geoip-files/archives.ts';
import { type DatabaseVersion, EDITIONS } from '../geoip-files/file-index.ts';
import { sendNotModified } from '../http/conditional.ts';
import { ApiError } from '../http/errors.ts';
import { allOptional, object, type RequestOf, string } from '../http/json-schema.ts';
import { DATABASE, type DatabaseDependencies, sendDatabase } from './databases.ts';

/** Not part of the API's own document. */
const hidden = { hide: true };
const edition = string('The name of the database.');

export const metadataSchema = {
  ...hidden,
  querystring: object(allOptional({ edition_id: edition })),
};
export const filenameSchema = {
  ...hidden,
  querystring: object(allOptional({ product_id: edition })),
};
export const updateSchema = {
  ...hidden,
  params: object({ edition }),
  querystring: object(allOptional({ db_md5: string('Of the database that the client has.') })),
};
export const downloadSchema = {
  ...hidden,
  params: object({ edition }),
  querystring: object(
    allOptional({ date: string('As in the metadata.'), suffix: string('Form of the file.') }),
  ),
};
export const directSchema = {
  ...hidden,
  querystring: object(
    allOptional({
      edition_id: edition,
      date: edition,
      suffix: edition,
      license_key: string('The key.'),
    }),
  ),
};

/** Programs with a URL as their only setting. */
export const DIRECT: KeyDeclaration = { ...DATABASE, keyIn: ['basic', 'license_key'] };

/** What the programs show to people. */
const TEXTS: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'Invalid account ID or license key: the license key is an API key of this server',
  FORBIDDEN: 'The API key has no permission to download databases: database:read',
  DATABASE_NOT_FOUND: 'Database edition not found',
  VERSION_NOT_FOUND: 'Database edition not found for this date',
};
export const refusalText = ({ code, row }: ApiError): string => `${TEXTS[code] ?? row.text}\n`;

/**
 * Metadata of one edition, or of all without a name. The MD5 is that of the uncompressed database,
 * because the client compares it with that of its own file.
 */
export function getMetadata({ databases }: DatabaseDependencies) {
  return ({ query: { edition_id: wanted } }: RequestOf<typeof metadataSchema>) => {
    const listed =
      wanted === undefined
        ? databases.current.flatMap((version) => version.files.map((file) => ({ version, file })))
        : [databases.find(wanted)];
    return {
      databases: listed.map(({ version: { date }, file: { edition: edition_id, md5 } }) => ({
        edition_id,
        md5,
        date,
      })),
    };
  };
}

// geoipupdate before 4.10 first requests a file name, without its key. A line feed would be part of
// the name.
export function getFilename(
  { query: { product_id: name } }: RequestOf<typeof filenameSchema>,
  reply: FastifyReply,
) {
  if (name === undefined || !EDITIONS.includes(name)) throw new ApiError('DATABASE_NOT_FOUND');
  return reply.type('text/plain; charset=utf-8').send(`${name}.mmdb`);
}

/** geoipupdate before version 7. */
export function getUpdate(dependencies: DatabaseDependencies) {
  return (request: RequestOf<typeof updateSchema>, reply: FastifyReply) => {
    const find = () => dependencies.databases.find(request.params.edition);
    const { md5 } = find().file;
    if (request.query.db_md5?.toLowerCase() === md5)
      return sendNotModified(reply.header('X-Database-MD5', md5));
    return sendDatabase(dependencies, request, reply, find, 'gz');
  };
}

export function getDownload(dependencies: DatabaseDependencies) {
  return (request: RequestOf<typeof downloadSchema>, reply: FastifyReply) =>
    download(dependencies, request, reply, { ...request.query, edition: request.params.edition });
}

export function getDirectDownload(dependencies: DatabaseDependencies) {
  return (request: RequestOf<typeof directSchema>, reply: FastifyReply) =>
    download(dependencies, request, reply, {
      ...request.query,
      edition: request.query.edition_id ?? '',
    });
}

type Wanted = { readonly edition: string; readonly date?: string; readonly suffix?: string };

function download(
  dependencies: DatabaseDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { edition: name, date, suffix = 'tar.gz' }: Wanted,
) {
  const isOf = ({ date: own }: DatabaseVersion) => digits(own) === digits(date ?? '');
  const find = () =>
    dependencies.databases.find(name, date === undefined || date === '' ? undefined : isOf);
  const { version, file } = find();
  if (suffix === 'tar.gz.sha256')
    return reply
      .type('text/plain; charset=utf-8')
      .send(`${file.tarGzSha256}  ${tarFolder(version, file)}.tar.gz\n`);
  if (suffix !== 'tar.gz' && suffix !== 'mmdb') throw new ApiError('DATABASE_NOT_FOUND');
  return sendDatabase(dependencies, request, reply, find, suffix);
}

const digits = (text: string) => text.replaceAll(/\D/g, '');
