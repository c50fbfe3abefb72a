/**
 * Fields that a simple request may carry: meaningless for it, or read by name. Any other leaves it
 * to Node.
 */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  'read by all': ['x-api-key'],
  'required once by a batch, and read; not allowed otherwise': ['content-type', 'content-length'],
  'required once, and not used': ['host'],
  'allowed if it says keep-alive, the default of HTTP/1.1': ['connection'],
  'answers have one form': ['accept', 'accept-encoding', 'accept-language', 'accept-charset'],
  'answers are never cached': ['cache-control', 'pragma'],
  'describes the client': ['user-agent', 'referer', 'from', 'dnt', 'priority', 'x-requested-with'],
  'ignored by the contract': ['authorization', 'cookie'],
  'what proxies add': [
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-method',
    'x-forwarded-port',
    'x-forwarded-proto',
    'x-forwarded-scheme',
    'x-forwarded-server',
    'x-forwarded-uri',
    'x-real-ip',
    'x-scheme',
    'x-original-forwarded-for',
    'x-envoy-attempt-count',
    'x-envoy-expected-rq-timeout-ms',
    'x-envoy-external-address',
    'cdn-loop',
    'cf-connecting-ip',
    'cf-ipcountry',
    'cf-ray',
    'cf-visitor',
    'true-client-ip',
    'fastly-client-ip',
  ],
  'tracing; we answer with an id of our own': [
    'traceparent',
    'tracestate',
    'baggage',
    'b3',
    'x-b3-traceid',
    'x-b3-spanid',
    'x-b3-parentspanid',
    'x-b3-sampled',
    'x-request-id',
    'x-correlation-id',
    'x-amzn-trace-id',
    'x-cloud-trace-context',
    'x-datadog-trace-id',
    'x-datadog-parent-id',
    'x-datadog-sampling-priority',
    'x-datadog-tags',
    'sentry-trace',
    'uber-trace-id',
  ],
  'what browsers add': [
    'sec-fetch-dest',
    'sec-fetch-mode',
    'sec-fetch-site',
    'sec-fetch-user',
    'sec-ch-ua',
    'sec-ch-ua-mobile',
    'sec-ch-ua-platform',
    'sec-gpc',
    'upgrade-insecure-requests',
  ],
};

const HARMLESS_NAMES: readonly string[] = Object.values(HARMLESS).flat();

/** FNV-1a, of names in lower case. */
const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

const byHash = new Map<number, string>();
for (const name of HARMLESS_NAMES) {
  let hash = SEED;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), PRIME);
  if (byHash.has(hash)) throw new Error(`${name} and ${byHash.get(hash)} have the same hash`);
  byHash.set(hash, name);
}

/**
 * The name of the field between `start` and `end`, in any case; undefined if it is not in the
 * table.
 */
export function allowedName(bytes: Uint8Array, start: number, end: number): string | undefined {
  let hash = SEED;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ lowerCase(bytes[i] as number), PRIME);
  const name = byHash.get(hash);
  if (name === undefined || name.length !== end - start) return undefined;
  for (let i = 0; i < name.length; i++) {
    if (name.charCodeAt(i) !== lowerCase(bytes[start + i] as number)) return undefined;
  }
  return name;
}

function lowerCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}
