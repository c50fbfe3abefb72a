// The registry of an address: the most specific https: entry of IANA's bootstrap files (RFC 9224 §5).

import { type Address, formatAddress } from '@whence/dataset/address';
import { listMember } from '@whence/dataset/internal/feeds/sources/json-value';
import { parseCidr, parsePrefix, toBigInt } from '@whence/dataset/prefix';

type Service = { readonly start: bigint; readonly end: bigint; readonly length: number; readonly url: URL };

export class Bootstrap {
  readonly #services: readonly Service[];
  readonly #hosts: ReadonlySet<string>;

  constructor(services: readonly Service[]) {
    // The most specific first (RFC 9224 §5.1).
    this.#services = [...services].sort((a, b) => b.length - a.length);
    this.#hosts = new Set(services.map(({ url }) => url.host));
  }

  /** The URL that describes the address (RFC 9082 §3.1.1); undefined if no registry is known for it. */
  urlFor(address: Address): URL | undefined {
    const at = toBigInt(address);
    const service = this.#services.find(({ start, end }) => start <= at && at <= end);
    return service && new URL(`ip/${formatAddress(address)}`, service.url);
  }

  /** Whether a redirect may lead there: to a registry, over TLS. */
  isRegistry({ protocol, host }: URL): boolean {
    return protocol === 'https:' && this.#hosts.has(host);
  }
}

/** Undefined if the text is not a bootstrap file with at least one usable entry for the family. */
export function parseBootstrap(text: string, version: 4 | 6): Service[] | undefined {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return undefined;
  }
  const found = (listMember(file, 'services') ?? []).flatMap((row): Service[] => {
    const [prefixes, urls] = Array.isArray(row) ? row : [];
    const url = baseUrlAmong(urls);
    if (!Array.isArray(prefixes) || url === undefined) return [];
    return prefixes.flatMap((prefix: unknown) => {
      const cidr = typeof prefix === 'string' ? parseCidr(prefix) : undefined;
      const range = typeof prefix === 'string' ? parsePrefix(prefix) : undefined;
      if (cidr === undefined || range?.version !== version) return [];
      return [{ start: range.start, end: range.end, length: cidr.length, url }];
    });
  });
  return found.length === 0 ? undefined : found;
}

function baseUrlAmong(urls: unknown): URL | undefined {
  if (!Array.isArray(urls)) return undefined;
  const text = urls.find(
    (url): url is string => typeof url === 'string' && /^https:\/\//i.test(url) && URL.canParse(url),
  );
  // RFC 9224 §3: a base URL ends with a slash.
  return text === undefined ? undefined : new URL(text.endsWith('/') ? text : `${text}/`);
}
