/**
 * Whether a message has a valid DKIM signature (RFC 6376, RFC 8301, RFC 8463) of a given domain.
 * Stricter than a receiver of mail must be: the whole body is signed (no `l=`), the key is not a
 * test, and few signatures are tried, because each hashes the body again. But `x=` is not used:
 * Google's ends after a week, a mailbox is read up to 90 days later, and a report that is sent
 * again is repeated. docs/decisions/0055 says why it is not a library.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { parseDkimKey } from '../../dkim/dkim.ts';
import type { Resolver } from '../../dns/answer.ts';
import { normalizeDomain } from '../../domain-name.ts';
import { colonList, parseTagList, tagValue } from '../../records/tag-list.ts';
import type { UnprovenReason } from '../report.ts';

const MAX_SIGNATURES = 3;

type Field = { readonly name: string; readonly raw: string };
type Canonical = 'simple' | 'relaxed';

/** Undefined if the message has a valid signature of a domain that `isSigner` accepts. */
export async function findUnproven(
  message: Buffer,
  isSigner: (domain: string) => boolean,
  resolver: Pick<Resolver, 'txt'>,
): Promise<UnprovenReason | undefined> {
  // A message from a pipe has line feeds, and was signed with the line ends of SMTP.
  const text = message.toString('latin1').replace(/\r?\n/g, '\r\n');
  const end = text.indexOf('\r\n\r\n');
  const fields = fieldsOf(end < 0 ? text : text.slice(0, end));
  const body = end < 0 ? '' : text.slice(end + 4);
  const signed = fields.filter(({ name }) => name === 'dkim-signature');
  if (signed.length === 0) return 'not_signed';
  const signatures = signed.flatMap((field) => readSignature(field) ?? []);
  if (signatures.length === 0) return 'signature_broken';
  const accepted = signatures.filter(({ domain }) => isSigner(domain));
  if (accepted.length === 0) return 'other_domain';
  let reason: UnprovenReason = 'signature_broken';
  for (const signature of accepted.slice(0, MAX_SIGNATURES)) {
    if (hashOf(canonicalBody(body, signature.bodyForm)) !== signature.bodyHash) continue;
    const state = await verifySignature(signature, fields, resolver);
    if (state === 'valid') return undefined;
    if (state === 'key_gone') reason = 'key_gone';
  }
  return reason;
}

type Signature = {
  readonly field: Field;
  readonly type: string;
  readonly domain: string;
  readonly selector: string;
  readonly headerForm: Canonical;
  readonly bodyForm: Canonical;
  readonly fields: readonly string[];
  readonly bodyHash: string;
  readonly signature: Buffer;
  /** Domain of the agent, `i=`. */
  readonly agent: string;
};

/** Undefined for one that is not used. */
function readSignature(field: Field): Signature | undefined {
  const list = parseTagList(field.raw.slice(field.raw.indexOf(':') + 1).replace(/\r\n/g, ''));
  if (list.duplicates.length > 0 || list.malformed.length > 0) return undefined;
  const tag = (name: string) => tagValue(list, name) ?? '';
  const type = /^(rsa|ed25519)-sha256$/.exec(tag('a'))?.[1];
  const domain = normalizeDomain(tag('d'));
  const [headerForm = '', bodyForm = 'simple'] = (tag('c') || 'simple').split('/');
  const fields = colonList(tag('h')).map((name) => name.toLowerCase());
  const agent = (tag('i') || `@${domain}`).replace(/^.*@/, '').toLowerCase();
  if (type === undefined || domain === undefined || tag('v') !== '1' || tag('l') !== '')
    return undefined;
  if (!isCanonical(headerForm) || !isCanonical(bodyForm) || !fields.includes('from'))
    return undefined;
  if (agent !== domain && !agent.endsWith(`.${domain}`)) return undefined;
  const bytes = (name: string) => Buffer.from(tag(name).replace(/\s/g, ''), 'base64');
  return {
    field,
    type,
    domain,
    selector: tag('s'),
    headerForm,
    bodyForm,
    fields,
    bodyHash: bytes('bh').toString('base64'),
    signature: bytes('b'),
    agent,
  };
}

async function verifySignature(
  { field, type, domain, selector, headerForm, fields: names, signature, agent }: Signature,
  fields: readonly Field[],
  resolver: Pick<Resolver, 'txt'>,
): Promise<'valid' | 'invalid' | 'key_gone'> {
  const name = normalizeDomain(`${selector}.${domain}`) && `${selector}._domainkey.${domain}`;
  const answer = name === undefined ? undefined : await resolver.txt(name);
  if (answer?.kind === 'nxdomain' || answer?.kind === 'nodata') return 'key_gone';
  if (answer?.kind !== 'found') return 'invalid';
  const { report, isTesting } = parseDkimKey(selector, answer.records);
  if (!report.is_valid || isTesting || report.key_type !== type) return 'invalid';
  const list = parseTagList(report.raw);
  // RFC 6376 §3.6.1, t=s: the agent has the same domain.
  if (agent !== domain && colonList(tagValue(list, 't') ?? '').includes('s')) return 'invalid';
  const key = publicKey(
    type,
    Buffer.from((tagValue(list, 'p') ?? '').replace(/\s/g, ''), 'base64'),
  );
  if (key === undefined) return 'invalid';
  const signed = Buffer.from(signedHeader(names, fields, field, headerForm), 'latin1');
  // RFC 8463 §3: Ed25519 signs the hash.
  const isValid =
    type === 'ed25519'
      ? verify(null, createHash('sha256').update(signed).digest(), key, signature)
      : verify('sha256', signed, key, signature);
  return isValid ? 'valid' : 'invalid';
}

function publicKey(type: string, bytes: Buffer): KeyObject | undefined {
  if (type === 'ed25519') {
    const x = bytes.toString('base64url');
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  }
  for (const form of ['spki', 'pkcs1'] as const)
    try {
      return createPublicKey({ key: bytes, format: 'der', type: form });
    } catch {
      // The other form.
    }
  return undefined;
}

function fieldsOf(header: string): Field[] {
  return header.split(/\r\n(?![ \t])/).flatMap((raw) => {
    const colon = raw.indexOf(':');
    return colon < 1 ? [] : [{ name: raw.slice(0, colon).trim().toLowerCase(), raw }];
  });
}

/** RFC 6376 §3.5 and §5.4.2: of fields with the same name, the last is signed first. */
function signedHeader(
  names: readonly string[],
  fields: readonly Field[],
  own: Field,
  form: Canonical,
): string {
  const left = new Map<string, Field[]>();
  for (const field of fields) left.set(field.name, [...(left.get(field.name) ?? []), field]);
  const signed = names.flatMap((name) => {
    const field = left.get(name)?.pop();
    return field === undefined ? [] : [`${canonicalField(field, form)}\r\n`];
  });
  const unsigned = { ...own, raw: own.raw.replace(/([;:]\s*b\s*=)[^;]*/, '$1') };
  return signed.join('') + canonicalField(unsigned, form);
}

function canonicalField({ name, raw }: Field, form: Canonical): string {
  if (form === 'simple') return raw;
  const value = raw.slice(raw.indexOf(':') + 1).replace(/\r\n/g, '');
  return `${name}:${value.replace(/[ \t]+/g, ' ').trim()}`;
}

function canonicalBody(body: string, form: Canonical): string {
  const text =
    form === 'simple'
      ? body
      : body
          .replace(/[ \t]+/g, ' ')
          .replaceAll(' \r\n', '\r\n')
          .replace(/ $/, '');
  let end = text.length;
  while (text.startsWith('\r\n', end - 2) && end >= 2) end -= 2;
  if (end === 0) return form === 'simple' ? '\r\n' : '';
  return `${text.slice(0, end)}\r\n`;
}

const hashOf = (body: string) => createHash('sha256').update(body, 'latin1').digest('base64');
const isCanonical = (form: string): form is Canonical => form === 'simple' || form === 'relaxed';
