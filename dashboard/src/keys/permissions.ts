/** Permissions and tiers in words, and the presets of the dialog. */
import type { Permission, TierInfo } from '@whence/server/dashboard-wire';
import { formatNumber } from '../format/number.ts';

export const PERMISSION_WORDS: Readonly<Record<Permission, { name: string; about: string; path: string }>> = {
  'ip:read': { name: 'Addresses', about: 'look up single addresses, and the dataset', path: '/v1/ip/8.8.8.8' },
  'ip:batch': { name: 'Batch', about: 'look up many addresses in one request', path: '/v1/ip/batch' },
  'asn:read': { name: 'Networks', about: 'look up and search AS numbers', path: '/v1/asn/15169' },
  'email:read': {
    name: 'Email domains',
    about: 'check MX, SPF, DKIM and DMARC',
    path: '/v1/email/domain/example.com/dns',
  },
};

export const PRESETS: readonly { readonly name: string; readonly permissions: readonly Permission[] }[] = [
  { name: 'Everything', permissions: ['ip:read', 'ip:batch', 'asn:read', 'email:read'] },
  { name: 'Addresses and networks', permissions: ['ip:read', 'ip:batch', 'asn:read'] },
  { name: 'Email domains only', permissions: ['email:read'] },
];

export function tierWords({ requests_per_day, batch_size }: TierInfo): string {
  const requests = requests_per_day === null ? 'no daily limit' : `${formatNumber(requests_per_day)} requests a day`;
  return `${requests}, batches of up to ${formatNumber(batch_size)}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A request that works with these permissions. */
export function exampleCurl(origin: string, secret: string, permissions: readonly Permission[]): string {
  const [first = 'ip:read'] = permissions;
  if (first === 'ip:batch') {
    return `curl -H 'X-API-Key: ${secret}' -H 'Content-Type: application/json' \\\n  -d '{"ips":["8.8.8.8","1.1.1.1"]}' '${origin}/v1/ip/batch'`;
  }
  return `curl -H 'X-API-Key: ${secret}' '${origin}${PERMISSION_WORDS[first].path}'`;
}
