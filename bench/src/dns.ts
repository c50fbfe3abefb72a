/**
 * The DNS zone over UDP on the loopback, compared with a program that sends every datagram back.
 * Rates are per second of processor time of the server.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAddress } from '@whence/dataset/address';
import { toBigInt } from '@whence/dataset/prefix';
import { openCurrent } from '@whence/dataset/versions';
import { encodeQuery } from '@whence/email/dns-wire';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import { cpuSeconds, PinnedProcesses, SERVER_CORE } from '@whence/testing/pinned-processes';
import { freePort } from '@whence/testing/programs';
import { seededWords } from '@whence/testing/seeded-random';
import { median } from '@whence/testing/statistics';
import { buildDataset, startWhence } from '@whence/testing/whence-program';
import { makeMixes } from './engine/announced-addresses.ts';
import { formatRate, formatRows, type Row } from './report.ts';

const SEED = 20261117;
const QUESTIONS = 20_000;
const ROUNDS = 5;
const IN_FLIGHT = 64;
const GOAL_PER_SECOND = 20_000;
const ECHO = fileURLToPath(new URL('./dns/echo-server.js', import.meta.url));

export async function dns(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const processes = new PinnedProcesses();
  try {
    print(
      `seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    print(
      `${formatCount(QUESTIONS)} questions, medians of ${ROUNDS} rounds; answers per second of processor time`,
    );
    const dataDir = join(folder, 'data');
    await buildDataset(processes, dataDir);
    const port = await freePort();
    const zone = await startWhence(processes, dataDir, SERVER_CORE, {
      WHENCE_DNS_LISTEN: `127.0.0.1:${port}`,
    });
    const echo = await processes.start(SERVER_CORE, [ECHO]);
    const rows: Row[] = [];
    for (const [measure, packets] of questions(dataDir)) {
      const rates: { ours: number; peer: number }[] = [];
      // The first round is a warm-up.
      for (let round = 0; round <= ROUNDS; round++)
        rates.push({
          ours: await rateOf(zone.pid, port, packets),
          peer: await rateOf(echo.pid, Number(echo.firstLine), packets),
        });
      const ours = median(rates.slice(1).map((rate) => rate.ours));
      const peer = median(rates.slice(1).map((rate) => rate.peer));
      rows.push({
        measure,
        ours: formatRate(ours),
        peer: formatRate(peer),
        ratio: `${(ours / peer).toFixed(2)} ×`,
        goal: `≥ ${formatRate(GOAL_PER_SECOND)}`,
        isReached: ours >= GOAL_PER_SECOND,
      });
    }
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await processes.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function questions(dataDir: string): [measure: string, packets: readonly Buffer[]][] {
  const dataset = openCurrent(dataDir);
  if (dataset === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  const [byAddress = [], byRange = [], ipv6 = []] = makeMixes(
    dataset,
    seededWords(SEED),
    QUESTIONS,
  ).map(({ texts }) => texts);
  const ask = (addresses: readonly string[], list: string, type: 'A' | 'TXT') =>
    addresses.map((text, i) =>
      encodeQuery({ name: `${reversed(text)}.${list}.whence.invalid`, type }, i & 0xffff, {
        edns: true,
      }),
    );
  return [
    ['origin, IPv4 by address', ask(byAddress, 'origin', 'TXT')],
    ['origin, IPv4 by range', ask(byRange, 'origin', 'TXT')],
    ['origin6, IPv6 by range', ask(ipv6, 'origin6', 'TXT')],
    ['bl, IPv4 by address', ask(byAddress, 'bl', 'A')],
  ];
}

function reversed(text: string): string {
  const address = parseAddress(text);
  if (address?.version !== 6) return text.split('.').reverse().join('.');
  return [...toBigInt(address).toString(16).padStart(32, '0')].reverse().join('.');
}

/** Sends all packets, `IN_FLIGHT` at a time, and waits for as many responses. */
async function rateOf(pid: number, port: number, packets: readonly Buffer[]): Promise<number> {
  const socket = createSocket({
    type: 'udp4',
    lookup: (address, _options, found) => found(null, address, 4),
  });
  const isConnected = once(socket, 'connect');
  socket.connect(port, '127.0.0.1');
  await isConnected;
  const before = cpuSeconds(pid);
  let sent = 0;
  let received = 0;
  const send = () => {
    const packet = packets[sent++];
    if (packet !== undefined) socket.send(packet);
  };
  const finished = new Promise<void>((resolve) => {
    socket.on('message', () => {
      send();
      if (++received === packets.length) resolve();
    });
  });
  for (let i = 0; i < IN_FLIGHT; i++) send();
  await finished;
  socket.close();
  return packets.length / (cpuSeconds(pid) - before);
}
