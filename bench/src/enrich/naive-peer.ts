/**
 * Child process: `naive-peer.js FILE SHAPE` does the same job in the obvious way: decode, split
 * into lines, find the address with a regular expression, look up the country with npm `maxmind`,
 * JSON.stringify. The lines go to standard output, the number of addresses to standard error.
 */
import { createReadStream, writeSync } from 'node:fs';
import { openByArgument } from '../engine/maxmind.ts';
import type { Shape } from './logs.ts';

const [file = '', shape = 'lines'] = process.argv.slice(2);
const reader = await openByArgument(undefined);
const ADDRESS = /\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b|(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}/i;

let found = 0;
function lookUp(ip: string): { ip: string; country_code?: string } {
  found++;
  return { ip, ...reader.get(ip) };
}

const ENRICH: Readonly<Record<Shape, (line: string) => string>> = {
  lines: (line) => {
    const ip = ADDRESS.exec(line)?.[0];
    return ip === undefined ? line : `${line}\t${JSON.stringify(lookUp(ip))}`;
  },
  ndjson: (line) => {
    const event = JSON.parse(line) as { client_ip: string };
    return JSON.stringify({ ...event, whence: lookUp(event.client_ip) });
  },
  csv: (line) => {
    const [, ip = ''] = line.split(',');
    return ADDRESS.test(ip) ? `${line},${lookUp(ip).country_code}` : `${line},country`;
  },
};

const enrichLine = ENRICH[shape as Shape];
const STDOUT = 1;
let rest = '';
for await (const text of createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 18 })) {
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  writeSync(STDOUT, `${lines.map(enrichLine).join('\n')}\n`);
}
process.stderr.write(`${JSON.stringify({ found })}\n`);
