/** The traffic of a soak run: what is asked for next, drawn with a seeded generator, and what may come back. */
import type { Words } from '@whence/testing/seeded-random';
import { type HostileKind, hostileDomain, ordinaryDomain } from '../dns/zones.ts';
import { type MalformedRequest, malformedRequests } from './malformed-requests.ts';

export type Tier = 'enterprise' | 'pro' | 'free';

export type RequestKind =
  | 'lookup'
  | 'batch'
  | 'asn'
  | 'search'
  | 'email'
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
  [0.25, (mix) => mix.freeLookup()],
  [0.4, (mix) => mix.lookup('pro')],
];

/** One request in WHOLE_ASN_EVERY asks for the prefixes too, which takes milliseconds where the others take microseconds. */
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

  /** The first keys are asked for most, so that some are used up early, some late and some not at all. */
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
    const head = `POST /v1/ip/batch HTTP/1.1\r\n${headers(this.#key(tier))}Content-Type: application/json\r\n`;
    const bytes = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
    return { kind: 'batch', tier, detail: `${size} addresses`, bytes, statuses: [200] };
  }

  asn(): PlannedRequest {
    const tier = this.#pick(['enterprise', 'pro'] as const);
    const isWhole = this.#random() % WHOLE_ASN_EVERY === 0;
    const target = `/v1/asn/${this.#pick(this.#input.asns)}${isWhole ? '?include_prefixes=true' : ''}`;
    return { kind: 'asn', tier, detail: target, bytes: get(target, this.#key(tier)), statuses: [200] };
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

  unknownKey(): PlannedRequest {
    const bytes = get(`/v1/ip/${this.#pick(this.#input.addresses)}`, this.#pick(this.#input.unknownKeys));
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

function get(target: string, key: string): string {
  return `GET ${target} HTTP/1.1\r\n${headers(key)}\r\n`;
}
