/** Sends a message to a webhook: to public addresses, unless a setting allows a network. */
import { createHmac, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { parseAddress } from '@whence/dataset/address';
import { postText } from '@whence/dataset/io/text-requests';
import { isPublicAddress } from '@whence/email/address-scope';
import type { DnsClient } from '@whence/email/resolver';
import { lookupIn } from '../email-checks/mta-sts-fetch.ts';
import { PrefixSet } from '../limits/prefix-set.ts';
import type { AlertMessage } from './message.ts';
import { type WebhookFormat, webhookRequest } from './webhook-formats.ts';

export type Sent = { readonly isDelivered: boolean; readonly result: string };
type Webhook = {
  readonly format: WebhookFormat;
  readonly url: string;
  /** For the signature, if the format has one. */
  readonly secret: string | undefined;
};

/** For everything: the name, the connection and the answer. */
const TIMEOUT_MS = 5_000;
const SECRET_PREFIX = 'whsec_';

export class Webhooks {
  readonly #dns: () => DnsClient;
  readonly #allowed: PrefixSet;

  constructor(dns: () => DnsClient, allowedNetworks: readonly string[]) {
    this.#dns = dns;
    this.#allowed = new PrefixSet(allowedNetworks);
  }

  /** `id` is the same for every attempt. */
  async send(
    { format, url, secret }: Webhook,
    id: string,
    message: AlertMessage,
    sentAt: Date,
    signal: AbortSignal,
  ): Promise<Sent> {
    const startedMs = performance.now();
    const target = new URL(url);
    const addresses = await this.#addressesOf(target, signal);
    if (typeof addresses === 'string') return { isDelivered: false, result: addresses };
    const { body, headers } = webhookRequest(format, message, sentAt);
    const seconds = Math.floor(sentAt.getTime() / 1000);
    const timeoutMs = Math.max(1, TIMEOUT_MS - (performance.now() - startedMs));
    const posted = await postText(target, body, {
      headers: {
        ...headers,
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        ...(secret && { 'webhook-signature': signatureOf(secret, id, seconds, body) }),
      },
      limits: { idleTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs },
      network: { lookup: lookupIn(addresses) },
      signal,
    });
    const { kind, reason } = posted;
    return {
      isDelivered: kind === 'answered' && posted.status >= 200 && posted.status < 300,
      result: reason,
    };
  }

  /** Those that may be connected to, or why there is none. */
  async #addressesOf(target: URL, signal: AbortSignal): Promise<string[] | string> {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) === 0 ? await this.#resolve(host, signal) : [host];
    if (addresses.length === 0) return `DNS has no address of ${host}, or does not answer`;
    const isAllowed = (address: string) => {
      const parsed = parseAddress(address);
      return parsed !== undefined && this.#allowed.has(parsed);
    };
    // Without TLS the message and the URL can be read on the way.
    const isSafe = target.protocol === 'https:' ? isPublicAddress : () => false;
    const allowed = addresses.filter((address) => isSafe(address) || isAllowed(address));
    if (allowed.length > 0) return allowed;
    return target.protocol === 'https:'
      ? `${host} has no public address; WHENCE_ALERT_NETWORKS can allow its network`
      : `http: is for the networks in WHENCE_ALERT_NETWORKS, and ${host} is in none of them`;
  }

  async #resolve(host: string, signal: AbortSignal): Promise<string[]> {
    const resolver = this.#dns().forCheck(host, { deadlineMs: TIMEOUT_MS, signal });
    const answers = await Promise.all([resolver.a(host), resolver.aaaa(host)]);
    return answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []));
  }
}

export function makeWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64');
}

/**
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme
 */
function signatureOf(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const hmac = createHmac('sha256', key).update(`${id}.${seconds}.${body}`);
  return `v1,${hmac.digest('base64')}`;
}
