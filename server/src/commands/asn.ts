/** `whence asn N` and `whence asn search Q`: networks by number and by name, from the local dataset. */
import { parsePrefixedAsn } from '@whence/dataset/as-number';
import { AsnSearch } from '@whence/dataset/asn-search';
import { type ExitCode, UsageError } from '../terminal/exit.ts';
import type { Output } from '../terminal/output.ts';
import { formatCount, formatTable } from '../terminal/table.ts';
import { openLocalDataset } from './local-dataset.ts';

export function asnCommand(
  dataDir: string,
  text: string,
  options: { json?: boolean; prefixes?: boolean },
  stdout: Output,
): ExitCode {
  const number = parsePrefixedAsn(text);
  if (number === undefined) throw new UsageError(`invalid AS number ${JSON.stringify(text)}; write 15169 or AS15169`);
  const dataset = openLocalDataset(dataDir);
  const record = dataset.asn(number);
  if (record === undefined) {
    stdout.write(
      options.json === true
        ? '{"error":"no data found for ASN","code":"NOT_FOUND"}\n'
        : `AS${number}\n  no data found for ASN\n`,
    );
    return 1;
  }
  const prefixes = options.prefixes === true ? dataset.prefixesOf(number) : undefined;
  if (options.json === true) {
    stdout.write(`${JSON.stringify(prefixes === undefined ? record : { ...record, prefixes })}\n`);
    return 0;
  }
  const { asn_name, country, rir, connection_type, prefix_count, address_count, handle, registered, cloud_provider } =
    record;
  const rows = [
    ['name', asn_name],
    ...(handle === undefined ? [] : [['handle', handle]]),
    ['country', country],
    ['registry', rir],
    ...(registered === undefined ? [] : [['registered', registered]]),
    ['connection', connection_type],
    ...(cloud_provider === undefined ? [] : [['cloud', cloud_provider]]),
    ['prefixes', `${formatCount(prefix_count.ipv4)} IPv4, ${formatCount(prefix_count.ipv6)} IPv6`],
    ['addresses', `${formatCount(address_count.ipv4)} IPv4`],
  ];
  const list = [...(prefixes?.ipv4 ?? []), ...(prefixes?.ipv6 ?? [])];
  stdout.write(`AS${number}\n${formatTable(rows.map(([label = '', value = '']) => [`  ${label}`, value]))}`);
  stdout.write(list.map((prefix) => `  ${prefix}\n`).join(''));
  return 0;
}

export function asnSearchCommand(
  dataDir: string,
  query: string,
  options: { json?: boolean; limit: number },
  stdout: Output,
): ExitCode {
  if (query.trim() === '') throw new UsageError('missing search text');
  if (query.length > 100) throw new UsageError('the search text is longer than 100 characters');
  const answer = new AsnSearch(openLocalDataset(dataDir)).search(query, Math.min(options.limit, 100));
  if (options.json === true) stdout.write(`${JSON.stringify(answer)}\n`);
  else {
    const rows = answer.results.map(({ asn, asn_name, country, connection_type, prefix_count }) => [
      `AS${asn}`,
      country,
      connection_type,
      `${formatCount(prefix_count.ipv4)} + ${formatCount(prefix_count.ipv6)}`.padStart(13),
      asn_name,
    ]);
    stdout.write(formatTable(rows));
    stdout.write(`${formatCount(answer.count)} of ${formatCount(answer.total)} networks\n`);
  }
  return answer.total === 0 ? 1 : 0;
}
