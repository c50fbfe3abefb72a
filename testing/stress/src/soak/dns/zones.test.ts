/** The server of the run against the client that asks it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeReply, encodeQuery, isAnswerTo, type Question } from '@whence/email/dns-wire';
import { encodeReply, parseQuery, RCODE } from '../../dns-message.ts';
import { hostileDomain, ordinaryDomain, replyTo } from './zones.ts';

/** The answer as bytes; undefined from a server that is silent. */
function messageFor(question: Question): { bytes: Buffer; message: Buffer } | undefined {
  const bytes = encodeQuery(question, 7, { edns: true });
  const query = parseQuery(bytes);
  assert.ok(query);
  const reply = replyTo(query.name, query.type);
  if (reply === 'silent') return undefined;
  const isMissing = reply === 'nxdomain';
  const message = encodeReply(
    query,
    isMissing ? RCODE.NXDOMAIN : RCODE.NOERROR,
    isMissing ? [] : reply.answers,
  );
  assert.ok(message.length <= 65_535, `${message.length} bytes do not fit into a message`);
  return { bytes, message };
}

function ask(question: Question) {
  const sent = messageFor(question);
  if (sent === undefined) return 'silent';
  assert.ok(isAnswerTo(sent.bytes, question, sent.message));
  return decodeReply(sent.message, question);
}

const records = (question: Question) => {
  const reply = ask(question);
  assert.ok(reply !== 'silent' && reply.kind === 'found', JSON.stringify(reply));
  return reply.records;
};

test('zones: an ordinary domain has mail hosts, SPF, a key and DMARC', () => {
  const domain = ordinaryDomain(7);
  assert.deepEqual(records({ name: domain, type: 'MX' }), [
    { preference: 10, exchange: `mx1.${domain}` },
    { preference: 10, exchange: `mx2.${domain}` },
  ]);
  assert.match(String(records({ name: domain, type: 'TXT' })[0]), /^v=spf1 .* -all$/);
  assert.match(
    String(records({ name: `_dmarc.${domain}`, type: 'TXT' })[0]),
    /^v=DMARC1; p=reject/,
  );
  assert.match(
    String(records({ name: `google._domainkey.${domain}`, type: 'TXT' })[0]),
    /^v=DKIM1/,
  );
});

test('zones: a selector that is not there may be remembered as missing', () => {
  const reply = ask({ name: `k1._domainkey.${ordinaryDomain(7)}`, type: 'TXT' });
  assert.deepEqual(reply, { kind: 'nxdomain', aliases: [], ttl: 60 });
});

test('zones: 3,300 different mail hosts in one message', () => {
  const hosts = records({ name: hostileDomain('many-mx', 1, 2), type: 'MX' });
  assert.equal(new Set(hosts.map((host) => JSON.stringify(host))).size, 3_300);
});

test('zones: an include leads to ten more, all of them large', () => {
  const question = { name: hostileDomain('spf-tree', 1, 2), type: 'TXT' } as const;
  // The client keeps only the beginning of so large a text.
  const [text] = records(question);
  assert.equal(String(text).match(/include:/g)?.length, 10);
  assert.ok((messageFor(question)?.message.length ?? 0) > 50_000);
});

test('zones: a silent zone says nothing', () => {
  assert.equal(ask({ name: hostileDomain('silent', 1, 2), type: 'A' }), 'silent');
});

test('zones: the policy of a hostile host is announced and the host has a public address', () => {
  const domain = hostileDomain('policy', 1, 2);
  assert.match(String(records({ name: `_mta-sts.${domain}`, type: 'TXT' })[0]), /^v=STSv1; id=/);
  assert.deepEqual(records({ name: `mta-sts.${domain}`, type: 'A' }), ['45.0.0.1']);
});
