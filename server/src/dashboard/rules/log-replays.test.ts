import assert from 'node:assert/strict';
import test from 'node:test';
import type { Dataset } from '@whence/dataset/dataset';
import { ApiError } from '../../http/errors.ts';
import { Decider } from '../../rules/decide.ts';
import { requesterAs } from '../../test/requester.ts';
import { DashboardRefusal } from '../requests/refusal.ts';
import { LogReplays } from './log-replays.ts';

const decider = new Decider({ name: 'default', mode: 'enforce', default: 'allow', rules: [] });
/** Without a client in any line, no address is looked up. */
const dataset = {} as Dataset;
const LOG = Buffer.from('x\n'.repeat(100_000));

test('log replays: a replay gives way to other work, and ends when its client has left', async () => {
  const client = new AbortController();
  const requester = { ...requesterAs('client'), signal: client.signal };
  const replay = new LogReplays().run(LOG, decider, dataset, requester);
  setImmediate(() => client.abort());
  await assert.rejects(replay, DashboardRefusal);
});

test('log replays: three of a client are in memory, and a fourth is refused', async () => {
  const replays = new LogReplays();
  const of = (client: string) => replays.run(LOG, decider, dataset, requesterAs(client));
  const taken = [of('a'), of('a'), of('a')];
  await assert.rejects(of('a'), ApiError);
  for (const { lines } of await Promise.all([...taken, of('b')])) assert.equal(lines, 100_000);
});
