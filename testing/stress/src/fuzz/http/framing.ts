/**
 * Bodies whose length is stated twice, wrongly or in chunks (RFC 9112 §6 and §7): where requests
 * are smuggled.
 */
import type { Words } from '@whence/testing/seeded-random';
import { below, oneIn, pick } from '../case-random.ts';

const BODY = '{"ips":["8.8.8.8"]}';
const LENGTHS = [
  `${BODY.length}`,
  '0',
  '1',
  '-1',
  '+19',
  '0x13',
  '19, 19',
  '19, 20',
  '19 ',
  '1e1',
  '',
  '99999999999999999999',
  '262145',
  '4294967296',
  '１９',
];
const CODINGS = [
  'chunked',
  'Chunked',
  'chunked, chunked',
  'identity',
  'gzip, chunked',
  'chunked, gzip',
  'xchunked',
  ' chunked',
  '"chunked"',
  'chunked\t',
  '',
  'chunked\r\nTransfer-Encoding: identity',
];
const SIZES = [
  '13',
  '013',
  '0x13',
  '-13',
  '13 ',
  '13;name=value',
  '13;name="va\\"lue"',
  'ffffffffffffffff',
  '100000000',
  'g',
  '',
  '13\n',
];

export function framedPost(random: Words, headers: string): Buffer {
  const stated: string[] = [];
  if (!oneIn(random, 3)) stated.push(`Content-Length: ${pick(random, LENGTHS)}\r\n`);
  if (oneIn(random, 4)) stated.push(`Content-Length: ${pick(random, LENGTHS)}\r\n`);
  if (oneIn(random, 2)) stated.push(`Transfer-Encoding: ${pick(random, CODINGS)}\r\n`);
  const isChunked = stated.some((line) => /chunked/i.test(line));
  const body = isChunked && !oneIn(random, 6) ? chunks(random) : BODY;
  const head = `POST /v1/ip/batch HTTP/${oneIn(random, 8) ? '1.0' : '1.1'}\r\n${headers}Content-Type: application/json\r\n`;
  // A second request behind the first, as a smuggler would have it.
  const more = oneIn(random, 6) ? `GET /healthz HTTP/1.1\r\nHost: whence\r\n\r\n` : '';
  return Buffer.from(`${head}${stated.join('')}\r\n${body}${more}`, 'latin1');
}

function chunks(random: Words): string {
  const size = oneIn(random, 2) ? BODY.length.toString(16) : pick(random, SIZES);
  const long = oneIn(random, 20) ? `;${'e'.repeat(below(random, 20_000))}` : '';
  const end = pick(random, [
    '0\r\n\r\n',
    '0\r\n\r\n',
    '0\r\nX-API-Key: trailer\r\n\r\n',
    '0\n\n',
    '',
    '00000\r\n\r\n',
  ]);
  return `${size}${long}\r\n${BODY}${oneIn(random, 10) ? '' : '\r\n'}${end}`;
}
