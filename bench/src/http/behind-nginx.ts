/**
 * The server behind nginx with `keepalive` connections, on which requests of all kinds are mixed:
 * which share of the lookups is answered at the socket (docs/decisions/0017).
 */

import { join } from 'node:path';
import { print } from '@whence/testing/console-report';
import { ANY_CORE } from '@whence/testing/pinned-processes';
import { findProgram, freePort } from '@whence/testing/programs';
import { startWhence } from '@whence/testing/whence-program';
import { limitRow, type Row } from '../report.ts';
import { writeNginxConfiguration } from './nginx-configuration.ts';
import { readMetrics, sumOf } from './server-metrics.ts';
import type { Setup } from './setup.ts';
import { runWrk } from './wrk.ts';

const CONNECTIONS = 32;
const SECONDS = 5;
const MAX_OTHER_PERCENT = 10;

export async function measureBehindNginx(setup: Setup): Promise<Row[]> {
  const { processes, folder, dataDir, addresses, key, save } = setup;
  const nginx = findProgram('nginx');
  if (nginx === undefined) {
    print('lookups behind nginx are skipped: apt-get install -y nginx-light');
    return [];
  }
  const metricsPort = await freePort();
  const whence = await startWhence(processes, dataDir, ANY_CORE, {
    WHENCE_METRICS_PORT: String(metricsPort),
  });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = writeNginxConfiguration(
    join(folder, 'nginx-proxy'),
    proxyTo(new URL(whence.url).host, port),
  );
  const proxy = await processes.startSilent(ANY_CORE, nginx, args, `${url}/healthz`);
  const scriptArguments = [save('addresses', addresses), save('1-keys', [key])];
  const load = { script: 'mixed-requests.lua', scriptArguments, connections: CONNECTIONS } as const;
  const { perSecond } = await runWrk(processes, url, load, SECONDS, 1);
  const { lookups, plain } = await countLookups(metricsPort);
  await proxy.stop();
  await whence.stop();
  print(
    `behind nginx: ${Math.round(perSecond)} requests/s, ${plain} of ${lookups} lookups answered at the socket`,
  );
  return [
    limitRow(
      'behind nginx, lookups on Node’s path',
      100 * (1 - plain / lookups),
      MAX_OTHER_PERCENT,
      '%',
    ),
  ];
}

const proxyTo = (upstream: string, port: number) => `
  upstream whence { server ${upstream}; keepalive 32; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://whence;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Real-IP $remote_addr;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }
`;

async function countLookups(metricsPort: number): Promise<{ lookups: number; plain: number }> {
  const metrics = await readMetrics(metricsPort);
  return {
    lookups: sumOf(metrics, /^whence_requests_total\{[^}]*route="ip"[^}]*\} (\d+)$/gm),
    plain: sumOf(metrics, /^whence_fast_path_lookups_total (\d+)$/gm),
  };
}
