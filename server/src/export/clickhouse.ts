// ClickHouse: networks as CSV, and SQL that loads them into a table with an IP_TRIE dictionary. IPv4 is stored as
// ::ffff:a.b.c.d, the result of `toIPv6`.
import { FLAGS } from '@whence/dataset/record';
import type { Sink } from '../terminal/output.ts';
import { FIELDS, type Fields } from './fields.ts';
import { type BooleanTexts, writeCsv } from './line-formats.ts';
import { type CreditedMeta, commentLine } from './notice.ts';
import type { Selection } from './rows.ts';

/** Dictionary attributes have no Bool type; the table uses UInt8 as well. */
const BOOLEANS: BooleanTexts = ['0', '1'];

export function writeClickhouseCsv(selection: Selection, sink: Sink): Promise<number> {
  return writeCsv(selection, sink, BOOLEANS);
}

const FIELD_TYPES: Partial<Record<keyof Fields, string>> = {
  asn: 'UInt32',
  threat_score: 'UInt8',
  ...Object.fromEntries(FLAGS.map((flag) => [flag, 'UInt8'])),
};
const COLUMN_TYPES: readonly (readonly [name: string, type: string])[] = [
  ['network', 'String'],
  ['prefix', 'String'],
  ...FIELDS.map((name) => [name, FIELD_TYPES[name] ?? 'String'] as const),
];

export function clickhouseSql(meta: CreditedMeta, csvName: string): string {
  const columns = COLUMN_TYPES.map(([name, type]) => `    ${name} ${type}`).join(',\n');
  return `${commentLine(meta, '--')}-- Run this in the folder of ${csvName}: clickhouse-client --queries-file whence.sql
-- Running it with a newer export replaces the networks; the dictionary uses the old ones until it is reloaded.

CREATE TABLE IF NOT EXISTS whence_networks
(
${columns}
)
ENGINE = MergeTree
ORDER BY network;

TRUNCATE TABLE whence_networks;

INSERT INTO whence_networks FROM INFILE '${csvName}' FORMAT CSVWithNames;

-- If the default user has a password: SOURCE(CLICKHOUSE(TABLE 'whence_networks' USER '…' PASSWORD '…')).
-- access_to_key_from_attributes lets dictGet return the key, network. LIFETIME(0): reload only on request.
CREATE DICTIONARY IF NOT EXISTS whence
(
${columns}
)
PRIMARY KEY network
SOURCE(CLICKHOUSE(TABLE 'whence_networks'))
LAYOUT(IP_TRIE(ACCESS_TO_KEY_FROM_ATTRIBUTES 1))
LIFETIME(0);

SYSTEM RELOAD DICTIONARY whence;

-- Example. If an address is not found, dictGet returns 0 or '', and dictHas('whence', toIPv6(ip)) returns 0.
SELECT
    ip,
    dictGet('whence', ('network', 'asn', 'asn_name', 'country', 'is_datacenter', 'threat_score'), toIPv6(ip)) AS found
FROM values('ip String', '8.8.8.8', '2001:4860:4860::8888');
`;
}
