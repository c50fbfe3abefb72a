/**
 * A DNS server on 127.0.0.1, over UDP and TCP on the same port, for tests and benchmarks. It
 * answers from a record literal as a resolver would, following aliases, and misbehaves where a
 * script says so.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import {
  type AddressInfo,
  createServer,
  type Server as TcpServer,
  type Socket as TcpSocket,
} from 'node:net';
import {
  AUTHENTIC_DATA,
  type Answer as DnsRecord,
  decode,
  encode,
  type Packet,
  type Question,
} from 'dns-packet';
import { encodeMxResponse, type MxAnswer } from './compressed-dns-message.ts';
import {
  canonical,
  failureOf,
  indexZone,
  type RecordType,
  type ZoneEntry,
  type ZoneRecords,
} from './zone-literal.ts';

export type Script = {
  /** Sent over UDP before the answer. Those that have the form of an answer contain `FORGED`. */
  readonly before?: readonly (
    | 'wrong id'
    | 'wrong question'
    | 'garbage'
    | 'another port'
    | 'echo'
  )[];
  /**
   * `truncate`: over UDP, at any size. `broken`: without the last byte. `close tcp`: after half of
   * the answer. `no edns`: FORMERR with a bare header, to a query with EDNS. `referral`: NS records
   * instead of an answer.
   */
  readonly do?:
    | 'answer'
    | 'drop'
    | 'truncate'
    | 'broken'
    | 'close tcp'
    | 'no edns'
    | 'referral'
    | Rcode;
  readonly delayMs?: number;
};

export type ScriptedDnsOptions = {
  /** By name. A list has one script per query; the last one is used for all further queries. */
  readonly scripts?: Readonly<Record<string, Script | readonly Script[]>>;
  readonly delayMs?: number;
  readonly ttl?: number;
  /** In the authority section of negative answers; `null` leaves it out. */
  readonly soa?: { readonly name?: string; readonly ttl: number; readonly minimum: number } | null;
  /** `one`: an alias is answered with the CNAME alone. */
  readonly aliasSteps?: 'all' | 'one';
};

type ReceivedQuery = {
  readonly transport: 'udp' | 'tcp';
  readonly name: string;
  readonly type: string;
  /** The payload size it states, 0 without EDNS. */
  readonly edns: number;
  readonly id: number;
  readonly port: number;
};

export type ScriptedDnsServer = {
  /** For `createDnsClient`. */
  readonly address: string;
  readonly queries: readonly ReceivedQuery[];
  /** TCP connections that are open now. */
  readonly connections: number;
  /** From now on it answers from these. */
  publish(records: ZoneRecords): void;
  close(): Promise<void>;
};

export const FORGED = 'forged';

const RCODES = { FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 };
type Rcode = keyof typeof RCODES;
const RESPONSE_FLAGS = 0x0180;
const TRUNCATED = 0x0200;
/** More would not fit into a message without compression, which dns-packet does not have. */
const MANY_HOSTS = 500;

export async function startScriptedDnsServer(
  records: ZoneRecords,
  {
    scripts = {},
    delayMs = 0,
    ttl = 300,
    soa = { ttl: 60, minimum: 60 },
    aliasSteps = 'all',
  }: ScriptedDnsOptions = {},
): Promise<ScriptedDnsServer> {
  let find = indexZone(records);
  const turns = new Map(
    Object.entries(scripts).map(([name, script]) => [canonical(name), [script].flat()]),
  );
  const queries: ReceivedQuery[] = [];
  const connections = new Set<TcpSocket>();
  const timers = new Set<NodeJS.Timeout>();

  function nextScript(name: string): Script {
    const turn = turns.get(name) ?? [];
    return (turn.length > 1 ? turn.shift() : turn[0]) ?? {};
  }

  function later(ms: number, action: () => void): void {
    if (ms === 0) {
      action();
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      action();
    }, ms);
    timers.add(timer);
  }

  function receive(bytes: Buffer, transport: 'udp' | 'tcp', port: number): Exchange | undefined {
    const query = decode(bytes);
    const question = query.questions?.[0];
    if (question === undefined) return undefined;
    const name = canonical(question.name);
    const opt = query.additionals?.find((record) => record.type === 'OPT');
    const edns = opt?.udpPayloadSize ?? 0;
    queries.push({ transport, name, type: question.type, edns, id: query.id ?? 0, port });
    const script = nextScript(name);
    const isUnchecked = query.flag_cd === true;
    return {
      bytes,
      id: query.id ?? 0,
      question,
      edns,
      isUnchecked,
      script,
      delayMs: delayMs + (script.delayMs ?? 0),
    };
  }

  /** `undefined`: nothing is sent. */
  function answerTo(
    { id, question, edns, isUnchecked, script }: Exchange,
    transport: 'udp' | 'tcp',
  ): Buffer | undefined {
    const base: Packet = { type: 'response', id, flags: RESPONSE_FLAGS, questions: [question] };
    const action = script.do ?? 'answer';
    if (action === 'drop') return undefined;
    if (action === 'no edns' && edns > 0)
      return encode({ ...base, flags: RCODES.FORMERR, questions: [] });
    if (action === 'referral')
      return encode({
        ...base,
        authorities: [{ name: 'example', type: 'NS', data: 'ns.example' }],
      });
    if (action in RCODES)
      return encode({ ...base, flags: RESPONSE_FLAGS | RCODES[action as Rcode] });
    const full = answerFromZone(base, question, isUnchecked);
    if (full === undefined) return undefined;
    const limit = Math.max(edns, 512);
    if (transport === 'udp' && (action === 'truncate' || full.length > limit))
      return encode({ ...base, flags: RESPONSE_FLAGS | TRUNCATED });
    return action === 'broken' ? full.subarray(0, -1) : full;
  }

  function answerFromZone(
    base: Packet,
    question: Question,
    isUnchecked: boolean,
  ): Buffer | undefined {
    const type = question.type as RecordType;
    const answers: DnsRecord[] = [];
    let name = canonical(question.name);
    let entry = find(name);
    while (
      entry?.CNAME !== undefined &&
      failureOf(entry, type) === undefined &&
      answers.length < 20
    ) {
      answers.push({ name, type: 'CNAME', ttl, data: canonical(entry.CNAME) });
      if (aliasSteps === 'one') return encode({ ...base, answers });
      name = canonical(entry.CNAME);
      entry = find(name);
    }
    const reason =
      entry?.isBogus === true && !isUnchecked ? 'SERVFAIL' : entry && failureOf(entry, type);
    if (reason === 'timeout') return undefined;
    if (reason !== undefined) {
      const rcode = reason in RCODES ? RCODES[reason as Rcode] : RCODES.SERVFAIL;
      return encode({ ...base, flags: RESPONSE_FLAGS | rcode });
    }
    const found = recordsOf(entry ?? {}, type).map(
      (data) => ({ name, type, ttl, data }) as DnsRecord,
    );
    const isAbsent = found.length === 0 && entry?.CNAME === undefined;
    const authorities: DnsRecord[] = isAbsent && soa !== null ? [soaRecord(soa)] : [];
    const authenticated = entry?.isSigned === true ? AUTHENTIC_DATA : 0;
    const flags = RESPONSE_FLAGS | authenticated | (entry === undefined ? RCODES.NXDOMAIN : 0);
    if (type === 'MX' && found.length > MANY_HOSTS)
      return encodeMxResponse(base.id ?? 0, flags, question, ttl, mxHosts(entry ?? {}));
    return encode({ ...base, flags, answers: [...answers, ...found], authorities });
  }

  function sendForgeries({ bytes, id, question, script }: Exchange, from: RemoteInfo): void {
    const forged: Packet = {
      type: 'response',
      id,
      flags: RESPONSE_FLAGS,
      questions: [question],
      answers: [{ name: question.name, type: 'TXT', ttl: 300, data: FORGED }],
    };
    for (const forgery of script.before ?? []) {
      if (forgery === 'garbage')
        udp.send(Buffer.from('not a DNS message at all'), from.port, from.address);
      else if (forgery === 'echo') udp.send(bytes, from.port, from.address);
      else if (forgery === 'wrong id')
        udp.send(encode({ ...forged, id: id ^ 1 }), from.port, from.address);
      else if (forgery === 'wrong question')
        udp.send(
          encode({ ...forged, questions: [{ ...question, name: 'other.example' }] }),
          from.port,
          from.address,
        );
      else elsewhere.send(encode(forged), from.port, from.address);
    }
  }

  const tcp = createServer((socket) => {
    connections.add(socket);
    socket.setNoDelay();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => connections.delete(socket));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const exchange = receive(received.subarray(2), 'tcp', socket.remotePort ?? 0);
      if (exchange === undefined) return;
      later(exchange.delayMs, () => {
        const answer = answerTo(exchange, 'tcp');
        if (answer !== undefined) writeInChunks(socket, answer, exchange.script.do === 'close tcp');
      });
    });
  });
  const udp = createSocket('udp4', (bytes, from) => {
    const exchange = receive(bytes, 'udp', from.port);
    if (exchange === undefined) return;
    sendForgeries(exchange, from);
    later(exchange.delayMs, () => {
      const answer = answerTo(exchange, 'udp');
      if (answer !== undefined) udp.send(answer, from.port, from.address);
    });
  });
  const elsewhere = createSocket('udp4');
  const port = await listenOnOnePort(tcp, udp);
  await bind(elsewhere, 0);

  return {
    address: `127.0.0.1:${port}`,
    queries,
    publish: (changed) => {
      find = indexZone(changed);
    },
    get connections() {
      return connections.size;
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of connections) socket.destroy();
      udp.close();
      elsewhere.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

type Exchange = {
  readonly bytes: Buffer;
  readonly id: number;
  readonly question: Question;
  readonly edns: number;
  readonly isUnchecked: boolean;
  readonly script: Script;
  readonly delayMs: number;
};

/** A port that is free for TCP may be that of another test's DNS client for UDP. */
async function listenOnOnePort(tcp: TcpServer, udp: Socket): Promise<number> {
  for (;;) {
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const { port } = tcp.address() as AddressInfo;
    try {
      await bind(udp, port);
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
    tcp.close();
    await once(tcp, 'close');
  }
}

async function bind(socket: Socket, port: number): Promise<void> {
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
}

/** In chunks, so that a client cannot rely on reading a message at once. */
function writeInChunks(socket: TcpSocket, answer: Buffer, isCutOff: boolean): void {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(answer.length);
  const framed = Buffer.concat([length, answer]);
  const middle = framed.length >> 1;
  socket.write(framed.subarray(0, 1));
  setImmediate(() => {
    socket.write(framed.subarray(1, middle));
    setImmediate(() => (isCutOff ? socket.end() : socket.write(framed.subarray(middle))));
  });
}

function recordsOf(entry: ZoneEntry, type: RecordType): readonly unknown[] {
  switch (type) {
    case 'TXT':
      return (entry.TXT ?? []).map((strings) =>
        typeof strings === 'string'
          ? inStrings(strings)
          : strings.map((text) => Buffer.from(text, 'latin1')),
      );
    case 'MX':
      return mxHosts(entry);
    case 'TLSA':
      return (entry.TLSA ?? []).map((text) => {
        const [usage, selector, matchingType, data = ''] = text.split(' ');
        const numbers = {
          usage: Number(usage),
          selector: Number(selector),
          matchingType: Number(matchingType),
        };
        return { ...numbers, certificate: Buffer.from(data, 'hex') };
      });
    default:
      return entry[type] ?? [];
  }
}

function mxHosts(entry: ZoneEntry): MxAnswer[] {
  return (entry.MX ?? []).map(([preference, exchange]) => ({
    preference,
    exchange: canonical(exchange),
  }));
}

/** RFC 1035 §3.3: a string holds at most 255 bytes. */
function inStrings(text: string): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const chunks = [bytes.subarray(0, 255)];
  for (let at = 255; at < bytes.length; at += 255) chunks.push(bytes.subarray(at, at + 255));
  return chunks;
}

function soaRecord({
  name = '.',
  ttl,
  minimum,
}: {
  name?: string;
  ttl: number;
  minimum: number;
}): DnsRecord {
  return {
    name,
    type: 'SOA',
    ttl,
    data: { mname: 'ns.example', rname: 'hostmaster.example', minimum },
  };
}
