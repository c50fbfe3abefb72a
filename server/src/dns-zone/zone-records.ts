/**
 * The records below the zone's name, made from the dataset in use when they are asked for. The
 * texts are those of Team Cymru's service, so that programs which know it can ask here instead.
 *
 *    4.3.2.1.origin     TXT     AS number | prefix | country | registry | date of allocation, which is not known
 *    (nibbles).origin6  TXT     the same for IPv6
 *    4.3.2.1.asn        TXT     the same without spaces, as rspamd's `asn` module expects it; IPv6 in nibbles
 *    AS15169.asn        TXT     AS number | country | registry | date of registration | handle - name, country
 *    4.3.2.1.bl         A, TXT  flags and threat level; IPv6 in nibbles (RFC 5782)
 */
import { type Address, ipv4, ipv6 } from '@whence/dataset/address';
import { parseAsn } from '@whence/dataset/as-number';
import type { Dataset } from '@whence/dataset/dataset';
import { type Match, prefixLength } from '@whence/dataset/match';
import { formatPrefix } from '@whence/dataset/prefix';
import { FLAGS, type Flag, type Rir, type ThreatLevel } from '@whence/dataset/record';

/**
 * What a name has: the text, and the last octets of the A records. A name without records exists if
 * there are names below it (RFC 8020).
 */
export type ZoneNode = {
  readonly txt?: string;
  readonly a?: readonly number[];
  readonly isApex?: true;
};

/** The A records of an address. Without datacenter: nearly all mail servers are in one. */
const LEVEL_CODES: Readonly<Record<ThreatLevel, number | undefined>> = {
  critical: 2,
  high: 3,
  medium: 4,
  low: undefined,
};
const FLAG_CODES: Readonly<Record<Flag, number | undefined>> = {
  is_tor_exit: 10,
  is_proxy: 11,
  is_vpn: 12,
  is_ai_crawler: 13,
  is_residential: 14,
  is_mobile: 15,
  is_datacenter: undefined,
};

/** Names of the registries as in their statistics files, which Team Cymru uses. */
const REGISTRIES: Readonly<Record<Rir, string>> = {
  ARIN: 'arin',
  RIPE: 'ripencc',
  APNIC: 'apnic',
  LACNIC: 'lacnic',
  AFRINIC: 'afrinic',
};

const NO_RECORDS: ZoneNode = {};
const APEX: ZoneNode = { isApex: true };
/** RFC 5782 §5: 127.0.0.2 is always listed, so that the use of a list can be tested. */
const TEST_ADDRESS = 0x7f000002;
const TEST_LISTING: ZoneNode = { a: [2], txt: 'test entry of RFC 5782' };

/** What records with equal attributes have in common. */
type Shared = {
  readonly country: string;
  readonly registry: string;
  readonly listing: ZoneNode | undefined;
};

export class ZoneRecords {
  readonly #dataset: Dataset;
  /**
   * By the number of the attributes' text, made on first use: parsing them takes longer than the
   * lookup.
   */
  readonly #shared: (Shared | undefined)[] = [];

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
  }

  /**
   * The first `count` labels stand below the zone's name, in lower case. Undefined if there is no
   * such name.
   */
  find(labels: readonly string[], count: number): ZoneNode | undefined {
    if (count === 0) return APEX;
    const below = labels.slice(0, count - 1);
    switch (labels[count - 1]) {
      case 'ns':
        return count === 1 ? NO_RECORDS : undefined;
      case 'origin':
        return this.#ofAddress(readIpv4(below), (address, match) =>
          this.#origin(address, match, ' | '),
        );
      case 'origin6':
        return this.#ofAddress(readIpv6(below), (address, match) =>
          this.#origin(address, match, ' | '),
        );
      case 'asn':
        return (
          this.#network(below) ??
          this.#ofAddress(readAddress(below), (address, match) => this.#origin(address, match, '|'))
        );
      case 'bl':
        return this.#ofAddress(readAddress(below), (address, match) =>
          this.#listing(address, match),
        );
      default:
        return undefined;
    }
  }

  #ofAddress(
    read: Address | 'incomplete' | undefined,
    nodeOf: (address: Address, match: Match) => ZoneNode | undefined,
  ): ZoneNode | undefined {
    if (read === undefined || read === 'incomplete') return read && NO_RECORDS;
    return nodeOf(read, this.#dataset.find(read));
  }

  #origin(address: Address, match: Match, separator: string): ZoneNode | undefined {
    if (match === 0) return undefined;
    const { country, registry } = this.#sharedBy(match, address.version);
    const prefix = formatPrefix(address, prefixLength(match));
    const s = separator;
    const end = separator.trimEnd();
    return {
      txt: `${this.#dataset.asnNumber(match)}${s}${prefix}${s}${country}${s}${registry}${end}`,
    };
  }

  #listing({ version, w0 }: Address, match: Match): ZoneNode | undefined {
    if (version === 4 && w0 === TEST_ADDRESS) return TEST_LISTING;
    return match === 0 ? undefined : this.#sharedBy(match, version).listing;
  }

  #network([label = '', ...more]: readonly string[]): ZoneNode | undefined {
    const number =
      more.length === 0 && label.startsWith('as') ? parseAsn(label.slice(2)) : undefined;
    const record = number === undefined ? undefined : this.#dataset.asn(number);
    if (record === undefined) return undefined;
    const { asn, asn_name: name, handle, country, rir, registered = '' } = record;
    const fullName = `${handle === undefined ? '' : `${handle} - `}${name}, ${country}`;
    return { txt: [asn, country, rir ? REGISTRIES[rir] : '', registered, fullName].join(' | ') };
  }

  #sharedBy(match: Match, version: 4 | 6): Shared {
    const isThreatKnown = this.#dataset.threatGap(version, match) === undefined;
    const number = 2 * this.#dataset.textOf(match) + Number(isThreatKnown);
    let shared = this.#shared[number];
    if (shared === undefined) {
      const { country, rir, detection, threat } = this.#dataset.attributes(
        this.#dataset.attributesOf(match),
      );
      const flags = FLAGS.filter((flag) => detection[flag]);
      const codes = [LEVEL_CODES[threat.level], ...flags.map((flag) => FLAG_CODES[flag])];
      const a = codes.filter((code) => code !== undefined);
      const names = flags.map((flag) => flag.slice('is_'.length)).join(',');
      const level = isThreatKnown ? `level=${threat.level} ` : '';
      const txt = `${level}score=${threat.score} flags=${names}`;
      shared = {
        country,
        registry: rir ? REGISTRIES[rir] : '',
        listing: a.length === 0 ? undefined : { a, txt },
      };
      this.#shared[number] = shared;
    }
    return shared;
  }
}

const OCTETS: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 256 }, (_, octet) => [String(octet), octet]),
);

/**
 * The last octet first. `incomplete`: the end of such names, which exists because there are names
 * below it.
 */
function readIpv4(labels: readonly string[]): Address | 'incomplete' | undefined {
  let word = 0;
  if (labels.length > 4) return undefined;
  for (let i = labels.length - 1; i >= 0; i--) {
    const label = labels[i] as string;
    const octet = OCTETS.get(label);
    if (octet === undefined) return undefined;
    word = (word << 8) | octet;
  }
  return labels.length === 4 ? ipv4(word) : 'incomplete';
}

/** The last of 32 hexadecimal digits first. */
function readIpv6(labels: readonly string[]): Address | 'incomplete' | undefined {
  const words = [0, 0, 0, 0];
  if (labels.length > 32) return undefined;
  for (let i = labels.length - 1, at = 0; i >= 0; i--, at++) {
    const label = labels[i] as string;
    const digit = label.length === 1 ? '0123456789abcdef'.indexOf(label) : -1;
    if (digit < 0) return undefined;
    words[at >>> 3] = ((words[at >>> 3] as number) << 4) | digit;
  }
  if (labels.length < 32) return 'incomplete';
  const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = words;
  // An IPv4-mapped address is the IPv4 address in it, as everywhere; RFC 5782 §5 has test entries
  // among them.
  return (w0 | w1) === 0 && w2 === 0xffff ? ipv4(w3) : ipv6(w0, w1, w2, w3);
}

function readAddress(labels: readonly string[]): Address | 'incomplete' | undefined {
  return readIpv4(labels) ?? readIpv6(labels);
}
