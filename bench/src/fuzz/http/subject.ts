/** The server that gets HTTP cases: a small dataset, a key without a limit, and a DNS server that answers at once. */
import { fileURLToPath } from 'node:url';
import { publish } from '@whence/dataset/publish';
import { sampleContent } from '@whence/dataset/sample-dataset';
import { ANY_CORE, type PinnedProcesses } from '../../http/pinned-processes.ts';
import { createKey } from '../../http/whence-server.ts';
import { ServerUnderTest } from '../../soak/server-under-test.ts';
import type { HttpSubject } from './run.ts';

export async function prepareHttpSubject(processes: PinnedProcesses, dataDir: string): Promise<HttpSubject> {
  const routes = [
    ['1.0.0.0/16', 64500, 'Exämple "Nord" GmbH'],
    ['8.8.8.0/24', 15169, 'Google LLC'],
    ['2001:4860::/32', 15169, 'Google LLC'],
  ] as const;
  publish(dataDir, sampleContent({ routes, countries: [['8.8.8.0/24', 'US']] }), new Date());
  const key = await createKey(processes, dataDir, 'enterprise');
  const dnsScript = fileURLToPath(import.meta.resolve('../../soak/dns/dns-server-process.js'));
  const dns = await processes.start(ANY_CORE, [dnsScript]);
  return { key, start: (signal) => ServerUnderTest.start(dataDir, { WHENCE_DNS_SERVERS: dns.firstLine }, signal) };
}
