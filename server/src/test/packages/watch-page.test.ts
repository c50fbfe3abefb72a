/** The receiver of docs/watch.md, as it is printed there, takes what this server sends. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { createDnsClient } from '@whence/email/resolver';
import { freePort } from '@whence/testing/programs';
import { until } from '@whence/testing/until';
import type { AlertMessage } from '../../alerts/message.ts';
import { makeWebhookSecret, Webhooks } from '../../alerts/webhook.ts';
import { allBlocks } from './page-blocks.ts';

test('docs/watch.md: the receiver prints each message once, and refuses other signatures', async () => {
  const code = allBlocks('docs/watch.md').find(({ file }) => file === 'receiver.mjs')?.code;
  // Beside this file, where standardwebhooks is found.
  const path = join(import.meta.dirname, `receiver-${process.pid}.mjs`);
  writeFileSync(path, code ?? assert.fail('the page has no receiver'));
  const port = await freePort();
  const secret = makeWebhookSecret();
  const receiver = spawn(process.execPath, [path], {
    env: { PATH: process.env['PATH'], PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  receiver.stdout.on('data', (chunk) => {
    printed += String(chunk);
  });
  const dns = createDnsClient({ servers: ['127.0.0.1:9'] });
  const webhooks = new Webhooks(() => dns, ['127.0.0.0/8']);
  const url = `http://127.0.0.1:${port}/`;
  const message: AlertMessage = {
    type: 'event.opened',
    title: 'high: example.com',
    text: 'example.com: the key is gone.',
    data: {},
  };
  const send = (id: string, by = secret) =>
    webhooks.send(
      { format: 'standard', url, secret: by },
      id,
      message,
      new Date(),
      new AbortController().signal,
    );
  try {
    await until('the receiver answers', async () => (await send('msg_1')).isDelivered);
    await send('msg_1');
    const forged = await send('msg_2', makeWebhookSecret());
    assert.deepEqual([forged.isDelivered, /401/.test(forged.result)], [false, true]);
    assert.equal((await send('msg_3')).isDelivered, true);
    await until('both are printed', () => printed.split('\n').length === 3);
    assert.equal(printed, 'event.opened example.com: the key is gone.\n'.repeat(2));
  } finally {
    receiver.kill();
    rmSync(path);
    dns.close();
  }
});
