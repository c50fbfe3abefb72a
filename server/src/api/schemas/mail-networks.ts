/** The networks that carry the mail of a domain; on request. */
import { CONNECTION_TYPES, THREAT_LEVELS } from '@whence/dataset/record';
import { boolean, integer, list, namedObject, oneOfTexts, string, strings } from '../../http/json-schema.ts';
import { findings } from './mail-records.ts';

const mailNetwork = {
  prefix: string('Announced prefix, or empty.', '192.0.2.0/24'),
  asn: integer('Network that announces it, or 0.'),
  asn_name: string('Its name.', 'Example'),
  country: string('ISO 3166-1 alpha-2, or empty.', 'US'),
  connection_type: oneOfTexts([...CONNECTION_TYPES, '']),
  threat_level: oneOfTexts([...THREAT_LEVELS, '']),
};
const carrier = namedObject('MailCarrier', {
  asn: integer('The network.'),
  asn_name: string('Its name.', 'Example'),
  mx_hosts: integer('MX hosts in it.'),
  ipv4_addresses: integer('Its IPv4 addresses that may send.'),
});
const mxNetwork = namedObject('MxNetwork', {
  ...mailNetwork,
  host: string('The MX host.', 'mx.example.com'),
  address: string('One of its addresses.', '192.0.2.1'),
});
const networkShare = namedObject('NetworkShare', {
  asn: integer('The network.'),
  asn_name: string('Its name.', 'Example'),
  percent: integer('Its part of the range, in percent.'),
});
const senderNetwork = namedObject('SenderNetwork', {
  ...mailNetwork,
  range: string('Addresses that SPF lets send.', '192.0.2.0/24'),
  record_domain: string('Whose SPF record names them.', 'example.com'),
  asn_count: integer('Networks that announce parts of it.'),
  shares: {
    ...list(networkShare),
    description: 'The networks with the largest parts, at most five; of a sample if there are very many.',
  },
});

export const networks = namedObject('NetworksReport', {
  carriers: {
    ...list(carrier),
    description: 'Networks by how much they carry.',
  },
  mx: list(mxNetwork),
  senders: { ...list(senderNetwork), description: 'At most 100, the largest first.' },
  range_count: integer('All ranges.'),
  ipv4_addresses: integer('IPv4 addresses that may send as the domain.'),
  ipv6_48s: integer('IPv6 /48s that may.'),
  open_to_all: boolean('Everyone may.'),
  unlisted_terms: strings('Terms of SPF whose addresses only a receiver can know.'),
  errors: findings,
});
