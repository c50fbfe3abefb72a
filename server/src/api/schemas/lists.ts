/** `GET /v1/lists/{name}.{format}`. */
import { dateTime, integer, list, namedObject, object, string } from '../../http/json-schema.ts';
import { envelope } from './envelope.ts';
import { refusalData } from './error-schemas.ts';
import { refusals, security } from './refusals.ts';

const prefixList = namedObject('PrefixList', {
  name: string('As in the rules file.', 'tor'),
  dataset_version: integer('The version of the dataset that the prefixes are from.'),
  built_at: dateTime('When it was built.'),
  prefix_count: namedObject('PrefixListCount', { ipv4: integer('IPv4 prefixes.'), ipv6: integer('IPv6 prefixes.') }),
  notice: string('Credits of the sources, which accompany the data.'),
  prefixes: namedObject('ListedPrefixes', {
    ipv4: list(string('A prefix.', '198.51.100.0/24')),
    ipv6: list(string('A prefix.', '2001:db8::/32')),
  }),
});

export const listSchema = {
  operationId: 'getList',
  summary: 'Prefixes of a list, for firewalls',
  description:
    'Lists are in the rules file of the server, by name. Formats: txt (one prefix per line), nft (for nft -f), rsc (for /import of RouterOS) and json. Prefixes are merged, in the order of addresses, IPv4 first. The ETag is that of the prefixes: an unchanged list is 304 after an update of the dataset too. A request counts if it is answered with a list.',
  tags: ['Databases and lists'],
  security,
  params: object({ list: string('Name of the list, a dot and the format.', 'tor.json') }),
  response: {
    200: envelope('The list. Formats other than json are text.', prefixList),
    304: { type: 'null', description: 'The list is the one of If-None-Match.' },
    404: envelope('No such list, or no such format.', refusalData('LIST_NOT_FOUND')),
    ...refusals,
  },
};
