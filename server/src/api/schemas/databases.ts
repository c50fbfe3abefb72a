/** `GET /v1/databases` and `GET /v1/databases/{name}`. */
import {
  allOptional,
  boolean,
  dateTime,
  integer,
  list,
  namedObject,
  object,
  optional,
  string,
} from '../../http/json-schema.ts';
import { envelope, operation, refusal, refusals } from './refusals.ts';

const validUntil = string(
  'Day (UTC) on which a flag in it stops counting; then the server writes it anew. Absent if there is none.',
  '2026-12-01',
);

const heldFrom = integer(
  'The version of the dataset that has fewer than half of the prefixes, or than the list allows. Until an operator accepts it, those before are kept. Absent otherwise.',
);

const database = namedObject('Database', {
  name: string('In the path of the file.', 'country'),
  edition: string(
    'The name by which programs for MaxMind’s databases ask for this form.',
    'GeoLite2-Country',
  ),
  version: integer(
    'The version of the dataset; of dbip-city-lite the day of its build, such as 20261101.',
  ),
  is_current: boolean('Whether the file is sent without ?version.'),
  built_at: dateTime('When the version was built.'),
  valid_until: optional(validUntil),
  bytes: integer('Size of the file.'),
  sha256: string('Digest of the file, in hexadecimal. Also its ETag.'),
  md5: string('The same, as update programs compare it.'),
});

const writtenList = namedObject('WrittenList', {
  name: string('As in the rules file.', 'tor'),
  version: integer('The version of the dataset that the prefixes are from.'),
  held_from: optional(heldFrom),
  valid_until: optional(validUntil),
  etag: string('Tag of the prefixes, in every format.'),
  bytes: namedObject('WrittenListSizes', {
    txt: integer('Size of this format.'),
    nft: integer('The same.'),
    rsc: integer('The same.'),
    json: integer('The same.'),
  }),
});

export const databasesSchema = operation('Databases and lists', {
  operationId: 'listDatabases',
  summary: 'Files of the dataset for other programs',
  description:
    'MMDB files of the current version and the one before. Empty until a key has the permission database:read and the first files are written. Not charged to the daily limit.',
  response: {
    200: envelope(
      'The files.',
      namedObject('Databases', {
        databases: list(database),
        lists: list(writtenList),
        notice: optional(string('Credits of the sources, which accompany the data.')),
      }),
    ),
    ...refusals,
  },
});

export const databaseSchema = operation('Databases and lists', {
  operationId: 'getDatabase',
  summary: 'A database file',
  description:
    'The MMDB file, with ETag, Last-Modified, Repr-Digest and ranges. A request counts if it is answered with the file or a part of it, not for 304 and HEAD.',
  params: object({ name: string('Name or edition of the database; .mmdb may follow.', 'country') }),
  querystring: object(
    allOptional({ version: integer('A kept version instead of the current one.') }),
  ),
  response: {
    200: {
      description: 'The file.',
      content: {
        'application/vnd.maxmind.maxmind-db': { schema: { type: 'string', format: 'binary' } },
      },
    },
    206: {
      description: 'The range that was asked for.',
      content: {
        'application/vnd.maxmind.maxmind-db': { schema: { type: 'string', format: 'binary' } },
      },
    },
    304: { type: 'null', description: 'The file is the one of If-None-Match.' },
    400: refusal('Not a version.', 'INVALID_VERSION'),
    404: refusal('No such database, or not of this version.', [
      'DATABASE_NOT_FOUND',
      'VERSION_NOT_FOUND',
    ]),
    416: refusal('A range outside the file.', 'INVALID_RANGE'),
    ...refusals,
  },
});

/** `GET /v1/lists/{name}.{format}`. */
const prefixList = namedObject('PrefixList', {
  name: string('As in the rules file.', 'tor'),
  dataset_version: integer('The version of the dataset that the prefixes are from.'),
  built_at: dateTime('When it was built.'),
  held_from: optional(heldFrom),
  valid_until: optional(validUntil),
  prefix_count: namedObject('PrefixListCount', {
    ipv4: integer('IPv4 prefixes.'),
    ipv6: integer('IPv6 prefixes.'),
  }),
  notice: string('Credits of the sources, which accompany the data.'),
  prefixes: namedObject('ListedPrefixes', {
    ipv4: list(string('A prefix.', '198.51.100.0/24')),
    ipv6: list(string('A prefix.', '2001:db8::/32')),
  }),
});

export const listSchema = operation('Databases and lists', {
  operationId: 'getList',
  summary: 'Prefixes of a list, for firewalls',
  description:
    'Lists are in the rules file of the server, by name. Formats: txt (one prefix per line), nft (for nft -f), rsc (for /import of RouterOS) and json. Prefixes are merged, in the order of addresses, IPv4 first. The ETag is that of the prefixes: an unchanged list is 304 after an update of the dataset too. Lists are written after each change of the dataset, the rules or the overrides; 503 until the first are, and while no source of a list counts. A list that an update would have emptied is held: X-Whence-Held is the version that it is from. Repr-Digest is that of the file. A request counts if it is answered with a list or a part of it.',
  params: object({ list: string('Name of the list, a dot and the format.', 'tor.json') }),
  response: {
    200: envelope('The list. Formats other than json are text.', prefixList),
    206: {
      description: 'The range that was asked for.',
      content: { 'text/plain': { schema: { type: 'string' } } },
    },
    304: { type: 'null', description: 'The list is the one of If-None-Match.' },
    404: refusal('No such list, or no such format.', 'LIST_NOT_FOUND'),
    416: refusal('A range outside the list.', 'INVALID_RANGE'),
    ...refusals,
  },
});
