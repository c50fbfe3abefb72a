/**
 * npm `mailauth` on the same domain: SPF for a sender that no mechanism matches, so that it reads the whole tree; the DMARC record; and three
 * keys whose selectors it is told. It judges one message and has no check of a domain, so the three are called as a caller in a
 * hurry would, at the same time. It does not look at MX, at report destinations or at other selectors.
 *
 * 4.8.2 is the last version that installs on every Node that this repository supports (later ones need 20.18.1, since 5.0 22.19). In 4.13 SPF is
 * evaluated in the same order and takes as long.
 */
import { Resolver } from 'node:dns/promises';
import { createRequire } from 'node:module';
import { DOMAIN, KEY_SELECTORS, SPF_LOOKUPS } from './zone.ts';

type Resolve = (name: string, type: string) => Promise<unknown>;
type SpfOptions = { sender: string; ip: string; helo: string; mta: string; resolver: Resolve };
type SpfResult = { status: { result: string }; lookups: { count: number } };
type DmarcOptions = { headerFrom: string; spfDomains: unknown[]; dkimDomains: unknown[]; resolver: Resolve };

// It brings no types for these, and the last is not in its documentation: the verifier gets its keys through it.
const require = createRequire(import.meta.url);
const { spf } = require('mailauth/lib/spf') as { spf: (options: SpfOptions) => Promise<SpfResult> };
const { dmarc } = require('mailauth/lib/dmarc') as { dmarc: (options: DmarcOptions) => Promise<{ policy?: string }> };
const { getPublicKey } = require('mailauth/lib/tools') as {
  getPublicKey: (type: 'DKIM', name: string, minBits: number, resolver: Resolve) => Promise<{ modulusLength: number }>;
};

export async function askMailauth(server: string): Promise<void> {
  const dns = new Resolver();
  dns.setServers([server]);
  const resolver: Resolve = (name, type) => dns.resolve(name, type);
  const sender = { sender: `someone@${DOMAIN}`, ip: '203.0.113.9', helo: 'elsewhere.example', mta: 'mx.example' };
  const [spfResult, dmarcResult, ...keys] = await Promise.all([
    spf({ ...sender, resolver }),
    dmarc({ headerFrom: DOMAIN, spfDomains: [], dkimDomains: [], resolver }),
    ...KEY_SELECTORS.map((selector) => getPublicKey('DKIM', `${selector}._domainkey.${DOMAIN}`, 1024, resolver)),
  ]);
  const isRight =
    spfResult.status.result === 'fail' &&
    spfResult.lookups.count === SPF_LOOKUPS &&
    dmarcResult.policy === 'reject' &&
    keys.every(({ modulusLength }) => modulusLength >= 1024);
  if (!isRight) throw new Error(`mailauth answers ${JSON.stringify([spfResult, dmarcResult, keys])}`);
}
