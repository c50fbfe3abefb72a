/**
 * The DNS zone compared with the API on the embedded dataset, and with packets that are no
 * questions.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { type Address, formatAddress, ipv4, ipv6 } from '@whence/dataset/address';
import { fromBigInt, toBigInt } from '@whence/dataset/prefix';
import type { IpRecord } from '@whence/dataset/record';
import { openCurrent } from '@whence/dataset/versions';
import { copyEmbeddedDataset } from '@whence/testing/embedded-dataset';
import { seededWords } from '@whence/testing/seeded-random';
import { TestFolder } from '../test-server.ts';
import { type DnsClient, opt, question, startZone, summaryOf } from './dns-client.ts';

const SEED = 20261117;
const ADDRESSES = 20_000;
const MALFORMED = 100_000;
/** Packets: fewer than the buffer of a socket holds. */
const AT_ONCE = 100;
const QUESTIONS_EACH = 4;

const folder = new TestFolder();
const random = seededWords(SEED);
let zone: Awaited<ReturnType<typeof startZone>>;
before(async () => {
  await copyEmbeddedDataset(folder.dataDir);
  zone = await startZone(folder);
});
after(async () => {
  await zone?.close();
  folder.remove();
});

test(`dns zone: ${ADDRESSES} addresses have the answers of /v1/ip (seed ${SEED})`, async () => {
  const { secret } = await folder.createKey();
  const addresses = drawAddresses();
  const step = AT_ONCE / QUESTIONS_EACH;
  for (let at = 0; at < addresses.length; at += step) {
    const some = addresses.slice(at, at + step);
    const response = await fetch(`${zone.url}/v1/ip/batch`, {
      method: 'POST',
      headers: { 'X-API-Key': secret, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ips: some.map(formatAddress) }),
    });
    const { data } = (await response.json()) as {
      data: Record<string, IpRecord | { error: unknown }>;
    };
    await Promise.all(
      some.map(async (address) => {
        const record = data[formatAddress(address)];
        assert.ok(record !== undefined);
        const names = namesOf(address);
        const [origin, rspamd, listed, reasons] = await Promise.all(
          [
            question(names.origin, 'TXT'),
            question(names.asn, 'TXT'),
            question(names.bl, 'A'),
            question(names.bl, 'TXT'),
          ].map(async (packet) => summaryOf(await zone.client.ask(packet))),
        );
        const want = 'error' in record ? undefined : expected(record);
        const is = {
          origin: origin?.answers[0],
          rspamd: rspamd?.answers[0],
          codes: listed?.answers,
          reasons: reasons?.answers[0],
        };
        assert.deepEqual(
          is,
          want ?? { origin: undefined, rspamd: undefined, codes: [], reasons: undefined },
          names.origin,
        );
        assert.equal(origin?.code, want === undefined ? 'NXDOMAIN' : 'NOERROR');
        assert.equal(listed?.code, (want?.codes ?? []).length === 0 ? 'NXDOMAIN' : 'NOERROR');
      }),
    );
  }
});

/** As documented in docs/dns.md. */
function expected({ asn, prefix, country, rir, threat: { level, score }, detection }: IpRecord) {
  const registry = rir === 'RIPE' ? 'ripencc' : rir?.toLowerCase();
  const codes = [
    [level === 'critical', 2],
    [level === 'high', 3],
    [level === 'medium', 4],
    [detection.is_tor_exit, 10],
    [detection.is_proxy, 11],
    [detection.is_vpn, 12],
    [detection.is_residential, 14],
    [detection.is_mobile, 15],
    [detection.is_ai_crawler, 13],
  ] as const;
  const listed = codes.filter(([is]) => is).map(([, code]) => `127.0.0.${code}`);
  const flags = Object.entries(detection).filter(([, value]) => value === true);
  return {
    origin: `${asn} | ${prefix} | ${country} | ${registry} |`,
    rspamd: `${asn}|${prefix}|${country}|${registry}|`,
    codes: listed,
    reasons:
      listed.length === 0
        ? undefined
        : // The embedded data have no attack lists, so a score has no level.
          `score=${score} flags=${flags.map(([name]) => name.slice('is_'.length))}`,
  };
}

/** Most are announced; a part of the random ones is not. */
function drawAddresses(): Address[] {
  const dataset = openCurrent(folder.dataDir);
  assert.ok(dataset);
  const runs = [...dataset.runs(6)];
  return Array.from({ length: ADDRESSES }, (_, i) => {
    if (i % 2 === 0) return ipv4(random());
    if (i % 10 === 1)
      return ipv6(0x20000000 | (random() & 0x1fffffff), random(), random(), random());
    const { start, end } = runs[random() % runs.length] ?? assert.fail('no announced IPv6 address');
    return fromBigInt(start + (BigInt(random()) % (end - start + 1n)), 6);
  });
}

function namesOf(address: Address) {
  const reversed =
    address.version === 4
      ? formatAddress(address).split('.').reverse().join('.')
      : [...toBigInt(address).toString(16).padStart(32, '0')].reverse().join('.');
  const name = (list: string) => `${reversed}.${list}.whence.invalid`;
  return {
    origin: name(address.version === 4 ? 'origin' : 'origin6'),
    asn: name('asn'),
    bl: name('bl'),
  };
}

const ASKED = question('8.8.8.8.origin.whence.invalid', 'TXT');

test(`dns zone: ${MALFORMED} malformed packets get FORMERR or nothing, and strangers never more than they sent (seed ${SEED})`, async () => {
  const strict = await startZone(folder, { WHENCE_DNS_ALLOW: '192.0.2.1' });
  for (let sent = 0; sent < MALFORMED; sent += AT_ONCE) {
    const packets = Array.from({ length: AT_ONCE }, (_, i) => malformed(0x8000 | i));
    for (const [client, isStranger] of [
      [zone.client, false],
      [strict.client, true],
    ] as [DnsClient, boolean][]) {
      for (const response of await client.responsesTo(packets, ASKED)) {
        const packet = packets[response.readUInt16BE(0) & 0x7fff];
        const text = `${packet?.toString('hex')} got ${response.toString('hex')}`;
        assert.ok(packet !== undefined && packet.length >= 12, text);
        // A question gets a response; a response never does.
        assert.equal(packet.readUInt8(2) & 0x80, 0, text);
        assert.equal(response.readUInt8(2) & 0x80, 0x80, text);
        const code = response.readUInt8(3) & 0x0f;
        if (isStranger) assert.ok(code === 5 && response.length <= packet.length, text);
        else if (packet.readUInt16BE(4) !== 1)
          assert.ok(code === 1 && response.length === 12, text);
        assert.equal(packet.readUInt16BE(4) === 1 || !isStranger, true, text);
      }
    }
  }
  await strict.close();
  assert.equal(summaryOf(await zone.client.ask(ASKED)).code, 'NOERROR');
});

const VALID = [
  ASKED,
  question('8.8.8.8.bl.whence.invalid', 'ANY', { additionals: [opt()] }),
  question('AS15169.asn.whence.invalid', 'TXT', {
    additionals: [opt({ udpPayloadSize: 65_535, flags: 0x8000 })],
  }),
  question('whence.invalid', 'SOA'),
];

/** A question with some bytes changed, cut off, or with bytes added; or random bytes. */
function malformed(id: number): Buffer {
  const below = (limit: number) => random() % limit;
  let packet = Buffer.from(VALID[below(VALID.length)] as Buffer);
  if (below(4) === 0) packet = Buffer.from(Array.from({ length: below(300) }, () => below(256)));
  for (let changes = below(6); changes > 0 && packet.length > 2; changes--)
    packet[below(packet.length)] = below(256);
  if (below(3) === 0) packet = packet.subarray(0, below(packet.length + 1));
  if (below(5) === 0)
    packet = Buffer.concat([
      packet,
      Buffer.from(Array.from({ length: below(40) }, () => below(256))),
    ]);
  if (packet.length >= 2) packet.writeUInt16BE(id, 0);
  return packet;
}
