/**
 * The domains of a soak run. Records are made from the name that is asked for, so every check can
 * have a domain of its own that no cache has seen.
 *
 *   d7.mail.example            a domain as most are: two mail hosts, SPF, a key, DMARC
 *   c3.z0.spf-tree.example     each record has ten includes and is as large as a message may be
 *   c3.z1.many-mx.example      3,300 mail hosts, each with a name of its own to look up
 *   c3.z2.silent.example       no answer at all
 *   c3.z3.semicolons.example   TXT records that are nothing but separators
 *   c3.z4.policy.example       a domain whose MTA-STS policy is on a hostile host
 */
import { type Answer, addressData, mxData, TYPE, textData } from '../../dns-message.ts';

type ZoneReply =
  | { readonly kind: 'answers'; readonly answers: readonly Answer[] }
  | 'nxdomain'
  | 'silent';

export const HOSTILE_KINDS = ['spf-tree', 'many-mx', 'silent', 'semicolons', 'policy'] as const;
export type HostileKind = (typeof HOSTILE_KINDS)[number];

const ORDINARY_DOMAINS = 200;
export const ordinaryDomain = (i: number) => `d${i % ORDINARY_DOMAINS}.mail.example`;
export const hostileDomain = (kind: HostileKind, zone: number, check: number) =>
  `c${check}.z${zone}.${kind}.example`;

/**
 * Public, or the server would not connect to it. No packet goes there: see `policy/redirect.ts`.
 */
const POLICY_HOST_ADDRESS = '45.0.0.1';
const INCLUDES = 10;
const MX_HOSTS = 3_300;
/** A message has at most 65,535 bytes. */
const LARGE_TEXT_CHARACTERS = 60_000;

const NO_DATA: ZoneReply = { kind: 'answers', answers: [] };
const SEMICOLONS = ';'.repeat(LARGE_TEXT_CHARACTERS);
const LARGE_LIST = 'ip4:192.0.2.0/24 '.repeat(LARGE_TEXT_CHARACTERS / 18);
/** Short labels first, so that all of them fit. */
const MX_ANSWERS = Array.from({ length: MX_HOSTS }, (_, i) => ({
  type: TYPE.MX,
  data: mxData(
    10,
    i < 1296 ? i.toString(36).padStart(2, '0') : (i - 1296).toString(36).padStart(3, '0'),
  ),
}));
/** The key of RFC 8463 appendix A.2. */
const KEY = 'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';

export function replyTo(name: string, type: number): ZoneReply {
  const kind = HOSTILE_KINDS.find((candidate) => name.endsWith(`.${candidate}.example`));
  switch (kind) {
    case 'silent':
      return 'silent';
    case 'spf-tree':
      return type === TYPE.TXT && !name.startsWith('_') ? texts(spfWithIncludes(name)) : NO_DATA;
    case 'many-mx':
      if (type === TYPE.MX) return { kind: 'answers', answers: MX_ANSWERS };
      return type === TYPE.A ? address() : NO_DATA;
    case 'semicolons':
      return type === TYPE.TXT ? texts(semicolonsFor(name)) : NO_DATA;
    case 'policy':
      return policyReply(name, type);
    case undefined:
      return /^(?:[^.]+\.)*d[0-9]+\.mail\.example$/.test(name)
        ? ordinaryReply(name, type)
        : 'nxdomain';
  }
}

function ordinaryReply(name: string, type: number): ZoneReply {
  if (type === TYPE.A) return address();
  if (type === TYPE.MX) return { kind: 'answers', answers: ['mx1', 'mx2'].map(mxRecord) };
  if (type !== TYPE.TXT) return NO_DATA;
  if (name.startsWith('_dmarc.'))
    return texts(`v=DMARC1; p=reject; rua=mailto:reports@${name.slice(7)}`);
  if (name.startsWith('google._domainkey.')) return texts(KEY);
  if (name.startsWith('_spf.')) return texts('v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 ~all');
  return /^d[0-9]+\./.test(name) ? texts(`v=spf1 mx include:_spf.${name} -all`) : 'nxdomain';
}

function policyReply(name: string, type: number): ZoneReply {
  if (type === TYPE.A) return address(POLICY_HOST_ADDRESS);
  if (type === TYPE.MX) return { kind: 'answers', answers: [mxRecord('mx1')] };
  return type === TYPE.TXT && name.startsWith('_mta-sts.') ? texts('v=STSv1; id=1') : NO_DATA;
}

const mxRecord = (label: string): Answer => ({ type: TYPE.MX, data: mxData(10, label) });
const address = (text = '192.0.2.1'): ZoneReply => ({
  kind: 'answers',
  answers: [{ type: TYPE.A, data: addressData(text) }],
});
const texts = (text: string): ZoneReply => ({
  kind: 'answers',
  answers: [{ type: TYPE.TXT, data: textData(text) }],
});

/** Names grow by a label with each level, until they are too long to be asked for. */
function spfWithIncludes(name: string): string {
  const includes = Array.from({ length: INCLUDES }, (_, i) => `include:i${i}.${name}`);
  return `v=spf1 ${includes.join(' ')} ${LARGE_LIST}-all`;
}

function semicolonsFor(name: string): string {
  if (name.startsWith('_dmarc.')) return `v=DMARC1${SEMICOLONS}`;
  return name.includes('._domainkey.') ? `v=DKIM1${SEMICOLONS}` : `v=spf1 ${SEMICOLONS}`;
}
