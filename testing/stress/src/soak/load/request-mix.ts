/**
 * The traffic of a soak run: what is asked for next, drawn with a seeded generator, and what may
 * come back.
 */
import type { Words } from '@whence/testing/seeded-random';
import { type HostileKind, hostileDomain, ordinaryDomain } from '../dns/zones.ts';
import { type MalformedRequest, malformedRequests } from './malformed-requests.ts';
import { CALLS, FREE_MESSAGES, hostileMessages, type McpMessage } from './mcp-messages.ts';

export type Tier = 'enterprise' | 'pro' | 'free';

export type RequestKind =
  | 'lookup'
  | 'batch'
  | 'asn'
  | 'search'
  | 'email'
  | 'mcp'
  | 'page'
  | 'unknown key'
  | 'malformed'
  | 'half-closed'
  | 'export'
  | 'summary';

export type PlannedRequest = {
  readonly kind: RequestKind;
  /** The tier of the key; absent where there is no valid one. */
  readonly tier?: Tier;
  /** Position of a free key, whose answers are counted. */
  readonly freeKey?: number;
  /** For messages: what is special about it. */
  readonly detail: string;
  readonly bytes: string;
  /** Statuses below 500 that are right. */
  readonly statuses: readonly number[];
  readonly isSilentZone?: boolean;
};

export type MixInput = {
  readonly keys: Readonly<Record<Tier, readonly string[]>>;
  /** Well-formed keys that do not exist. */
  readonly unknownKeys: readonly string[];
  readonly addresses: readonly string[];
  readonly asns: readonly number[];
  readonly queries: readonly string[];
};

/** Shares of the traffic. The rest are lookups with an Enterprise key. */
const SHARES: readonly (readonly [upTo: number, draw: (mix: RequestMix) => PlannedRequest])[] = [
  [0.03, (mix) => mix.batch()],
  [0.06, (mix) => mix.asn()],
  [0.1, (mix) => mix.search()],
  [0.12, (mix) => mix.email()],
  [0.16, (mix) => mix.unknownKey()],
  [0.2, (mix) => mix.malformed()],
  [0.21, (mix) => mix.mcp(CALLS)],
  [0.213, (mix) => mix.mcp(FREE_MESSAGES)],
  [0.216, (mix) => mix.mcp(mix.hostileMessages)],
  [0.22, (mix) => mix.page()],
  [0.27, (mix) => mix.freeLookup()],
  [0.4, (mix) => mix.lookup('pro')],
];

/**
 * One request in WHOLE_ASN_EVERY asks for the prefixes too, which takes milliseconds where the
 * others take microseconds.
 */
const WHOLE_ASN_EVERY = 3;
const BATCH_SIZES: Readonly<Record<Tier, readonly number[]>> = {
  enterprise: [10, 100, 1_000],
  pro: [10, 100, 500],
  free: [10],
};

export class RequestMix {
  readonly #input: MixInput;
  readonly #random: Words;
  readonly #malformed: readonly MalformedRequest[];
  readonly hostileMessages = hostileMessages();
  #hostileChecks = 0;

  constructor(input: MixInput, random: Words) {
    this.#input = input;
    this.#random = random;
    this.#malformed = malformedRequests(this.#key('enterprise'));
  }

  next(): PlannedRequest {
    const share = this.#random() / 2 ** 32;
    const draw = SHARES.find(([upTo]) => share < upTo)?.[1];
    return draw === undefined ? this.lookup('enterprise') : draw(this);
  }

  lookup(tier: 'enterprise' | 'pro'): PlannedRequest {
    const bytes = get(`/v1/ip/${this.#pick(this.#input.addresses)}`, this.#key(tier));
    return { kind: 'lookup', tier, detail: '', bytes, statuses: [200] };
  }

  /**
   * The first keys are asked for most, so that some are used up early, some late and some not at
   * all.
   */
  freeLookup(): PlannedRequest {
    const keys = this.#input.keys.free;
    const freeKey = Math.floor((this.#random() / 2 ** 32) ** 2 * keys.length);
    const bytes = get(`/v1/ip/${this.#pick(this.#input.addresses)}`, keys[freeKey] ?? '');
    return { kind: 'lookup', tier: 'free', freeKey, detail: '', bytes, statuses: [200, 429] };
  }

  batch(): PlannedRequest {
    const tier = this.#pick(['enterprise', 'pro'] as const);
    const { addresses } = this.#input;
    const size = this.#pick(BATCH_SIZES[tier]);
    const start = this.#random() % (addresses.length - size);
    const body = JSON.stringify({ ips: addresses.slice(start, start + size) });
    const bytes = post('/v1/ip/batch', this.#key(tier), body);
    return { kind: 'batch', tier, detail: `${size} addresses`, bytes, statuses: [200] };
  }

  asn(): PlannedRequest {
    const tier = this.#pick(['enterprise', 'pro'] as const);
    const isWhole = this.#random() % WHOLE_ASN_EVERY === 0;
    const target = `/v1/asn/${this.#pick(this.#input.asns)}${isWhole ? '?include_prefixes=true' : ''}`;
    return {
      kind: 'asn',
      tier,
      detail: target,
      bytes: get(target, this.#key(tier)),
      statuses: [200],
    };
  }

  search(): PlannedRequest {
    const target = `/v1/asn/search?q=${encodeURIComponent(this.#pick(this.#input.queries))}&limit=20`;
    const bytes = get(target, this.#key('enterprise'));
    return { kind: 'search', tier: 'enterprise', detail: target, bytes, statuses: [200] };
  }

  email(): PlannedRequest {
    return this.#emailCheck(ordinaryDomain(this.#random()));
  }

  hostileEmail(kind: HostileKind, zone: number): PlannedRequest {
    const domain = hostileDomain(kind, zone, this.#hostileChecks++);
    const check = this.#emailCheck(domain, kind === 'policy' ? '?include=transport' : '');
    return kind === 'silent' ? { ...check, isSilentZone: true } : check;
  }

  /** All but calls are free, and limited to 60 in a minute for each key and worker. */
  mcp(messages: readonly McpMessage[]): PlannedRequest {
    const { name, body, statuses } = this.#pick(messages);
    const bytes = post(
      '/mcp',
      this.#key('enterprise'),
      body.replace('ADDRESS', this.#pick(this.#input.addresses)),
    );
    return { kind: 'mcp', tier: 'enterprise', detail: name, bytes, statuses };
  }

  /** Requests of people without an account, from many addresses. */
  page(): PlannedRequest {
    const { addresses, asns } = this.#input;
    const address = this.#pick(addresses);
    const [first = ''] = address.split('.');
    const target = this.#pick([
      `ip/${address}`,
      `asn/${this.#pick(asns)}`,
      `prefix/${first}.0.0.0/8`,
    ]);
    const client = `X-Forwarded-For: 198.18.${this.#random() % 256}.${this.#random() % 256}\r\n`;
    const bytes = `GET /dashboard/api/lookup/${target} HTTP/1.1\r\nHost: whence\r\n${client}\r\n`;
    return { kind: 'page', detail: target, bytes, statuses: [200, 429] };
  }

  unknownKey(): PlannedRequest {
    const bytes = get(
      `/v1/ip/${this.#pick(this.#input.addresses)}`,
      this.#pick(this.#input.unknownKeys),
    );
    return { kind: 'unknown key', detail: '', bytes, statuses: [401] };
  }

  malformed(): PlannedRequest {
    const { name, bytes, status } = this.#pick(this.#malformed);
    return { kind: 'malformed', detail: name, bytes, statuses: [status] };
  }

  #emailCheck(domain: string, query = ''): PlannedRequest {
    const bytes = get(`/v1/email/domain/${domain}/dns${query}`, this.#key('enterprise'));
    return { kind: 'email', tier: 'enterprise', detail: domain, bytes, statuses: [200] };
  }

  #key(tier: Tier): string {
    return this.#pick(this.#input.keys[tier]);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random() % list.length] as T;
  }
}

function headers(key: string): string {
  return `Host: whence\r\nX-API-Key: ${key}\r\n`;
}

function post(target: string, key: string, body: string): string {
  const head = `POST ${target} HTTP/1.1\r\n${headers(key)}Content-Type: application/json\r\n`;
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function get(target: string, key: string): string {
  return `GET ${target} HTTP/1.1\r\n${headers(key)}\r\n`;
}
