/**
 * npm `mailauth` on the same domain: SPF for a sender that no mechanism matches, so that it reads
 * the whole tree; the DMARC record; and three keys whose selectors it is given. It judges a message
 * and has no check of a domain, so the three are called in parallel, as a caller in a hurry would.
 * It does not look at MX, report destinations or other selectors.
 *
 * 4.8.2 is the last version that installs on every Node version supported here (later ones need
 * 20.18.1, from 5.0 on 22.19). 4.13 evaluates SPF in the same order and takes as long.
 */
import { Resolver } from 'node:dns/promises';
import { toolRequire } from '@whence/testing/installed-tools';
import { DOMAIN, KEY_SELECTORS, SPF_LOOKUPS } from './zone.ts';

type Resolve = (name: string, type: string) => Promise<unknown>;
type SpfOptions = { sender: string; ip: string; helo: string; mta: string; resolver: Resolve };
type SpfResult = { status: { result: string }; lookups: { count: number } };
type DmarcOptions = {
  headerFrom: string;
  spfDomains: unknown[];
  dkimDomains: unknown[];
  resolver: Resolve;
};

// It has no types for these, and the last is undocumented: the verifier gets its keys through it.
const { spf } = toolRequire('mailauth/lib/spf') as {
  spf: (options: SpfOptions) => Promise<SpfResult>;
};
const { dmarc } = toolRequire('mailauth/lib/dmarc') as {
  dmarc: (options: DmarcOptions) => Promise<{ policy?: string }>;
};
const { getPublicKey } = toolRequire('mailauth/lib/tools') as {
  getPublicKey: (
    type: 'DKIM',
    name: string,
    minBits: number,
    resolver: Resolve,
  ) => Promise<{ modulusLength: number }>;
};

export async function askMailauth(server: string): Promise<void> {
  const dns = new Resolver();
  dns.setServers([server]);
  const resolver: Resolve = (name, type) => dns.resolve(name, type);
  const sender = {
    sender: `someone@${DOMAIN}`,
    ip: '203.0.113.9',
    helo: 'elsewhere.example',
    mta: 'mx.example',
  };
  const [spfResult, dmarcResult, ...keys] = await Promise.all([
    spf({ ...sender, resolver }),
    dmarc({ headerFrom: DOMAIN, spfDomains: [], dkimDomains: [], resolver }),
    ...KEY_SELECTORS.map((selector) =>
      getPublicKey('DKIM', `${selector}._domainkey.${DOMAIN}`, 1024, resolver),
    ),
  ]);
  const isRight =
    spfResult.status.result === 'fail' &&
    spfResult.lookups.count === SPF_LOOKUPS &&
    dmarcResult.policy === 'reject' &&
    keys.every(({ modulusLength }) => modulusLength >= 1024);
  if (!isRight)
    throw new Error(`mailauth answers ${JSON.stringify([spfResult, dmarcResult, keys])}`);
}
