/** The DNS zone of a server with several workers. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { freePort } from '@whence/testing/programs';
import { ServerProcess, TestFolder } from '../test-server.ts';
import { askOverTcp, DnsClient, framed, question, summaryOf } from './dns-client.ts';

const ASKED = question('8.8.8.8.origin.whence.invalid', 'TXT');
const folder = new TestFolder();
before(() => void folder.publish());
after(() => folder.remove());

test('dns zone: workers share the port, and their questions are counted by type and result', async () => {
  const port = await freePort();
  const metricsPort = await freePort();
  const server = await ServerProcess.start(folder, {
    WHENCE_WORKERS: '2',
    WHENCE_DNS_LISTEN: `127.0.0.1:${port}`,
    WHENCE_METRICS_PORT: String(metricsPort),
  });
  const client = await DnsClient.open(port);
  for (let i = 0; i < 50; i++) {
    assert.equal(summaryOf(await client.ask(ASKED)).code, 'NOERROR');
    assert.equal((await askOverTcp(port, [framed(ASKED)], 1)).length, 1);
  }
  await client.ask(question('x.whence.invalid', 'AAAA'));
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  assert.match(metrics, /^whence_dns_questions_total\{type="TXT",result="noerror"\} 100$/m);
  assert.match(metrics, /^whence_dns_questions_total\{type="AAAA",result="nxdomain"\} 1$/m);
  client.close();
  assert.equal(await server.stop(), 0);
});
