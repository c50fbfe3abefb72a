/** Logs in common formats, with one address per line. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

export type Shape = 'lines' | 'ndjson' | 'csv';

export function writeLog(path: string, shape: Shape, addresses: readonly string[]): void {
  const header = shape === 'csv' ? 'time,client_ip,path,status\n' : '';
  writeFileSync(path, header + addresses.map((address, i) => LINES[shape](address, i)).join(''));
}

/** Appends the lines of a log to it, so that there are `times` as many; not the header. */
export function repeatLog(path: string, shape: Shape, times: number): void {
  const bytes = readFileSync(path);
  const lines = shape === 'csv' ? bytes.subarray(bytes.indexOf('\n') + 1) : bytes;
  for (let i = 1; i < times; i++) appendFileSync(path, lines);
}

const LINES: Readonly<Record<Shape, (address: string, i: number) => string>> = {
  lines: (address, i) =>
    `${address} - - [15/Nov/2026:05:00:${second(i)} +0000] "GET /products/${i} HTTP/1.1" 200 5120 "-" "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0.0.0"\n`,
  ndjson: (address, i) =>
    `{"time":"2026-11-15T05:00:${second(i)}Z","level":"info","client_ip":"${address}","method":"GET","path":"/products/${i}","status":200,"bytes":5120,"duration":0.0123}\n`,
  csv: (address, i) => `2026-11-15T05:00:${second(i)}Z,${address},/products/${i},200\n`,
};

const second = (i: number) => String(i % 60).padStart(2, '0');
