/** Logs in common formats, with one address per line. */
import { appendFileSync, writeFileSync } from 'node:fs';

export type Shape = 'lines' | 'ndjson' | 'csv';
/** What `decide replay` reads. */
export type ReplayedShape = 'lines' | 'caddy';

/** A log of a million lines is longer than a string may be. */
const LINES_PER_WRITE = 50_000;

export function writeLog(
  path: string,
  shape: Shape | ReplayedShape,
  addresses: readonly string[],
): void {
  const header = shape === 'csv' ? 'time,client_ip,path,status\n' : '';
  writeFileSync(path, header);
  for (let from = 0; from < addresses.length; from += LINES_PER_WRITE) {
    const lines = addresses
      .slice(from, from + LINES_PER_WRITE)
      .map((address, i) => LINES[shape](address, from + i));
    appendFileSync(path, lines.join(''));
  }
}

const LINES: Readonly<Record<Shape | ReplayedShape, (address: string, i: number) => string>> = {
  lines: (address, i) =>
    `${address} - - [15/Nov/2026:05:00:${second(i)} +0000] "GET /products/${i} HTTP/1.1" 200 5120 "-" "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0.0.0"\n`,
  ndjson: (address, i) =>
    `{"time":"2026-11-15T05:00:${second(i)}Z","level":"info","client_ip":"${address}","method":"GET","path":"/products/${i}","status":200,"bytes":5120,"duration":0.0123}\n`,
  csv: (address, i) => `2026-11-15T05:00:${second(i)}Z,${address},/products/${i},200\n`,
  caddy: (address, i) =>
    `{"level":"info","ts":1763182800.1234567,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"${address}","remote_port":"50412","client_ip":"${address}","proto":"HTTP/2.0","method":"GET","host":"app.example.com","uri":"/products/${i}?page=2","headers":{"User-Agent":["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"],"Accept":["text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"],"Accept-Language":["en-US,en;q=0.5"],"Accept-Encoding":["gzip, deflate, br"],"Referer":["https://app.example.com/"]},"tls":{"resumed":false,"version":772,"cipher_suite":4865,"proto":"h2","server_name":"app.example.com"}},"bytes_read":0,"user_id":"","duration":0.0123,"size":5120,"status":200,"resp_headers":{"Server":["Caddy"],"Content-Type":["text/html; charset=utf-8"]}}\n`,
};

const second = (i: number) => String(i % 60).padStart(2, '0');
