/**
 * Certificates for tests of TLS: an authority, and what it issues, made on the spot. X.509 (RFC
 * 5280) in DER by hand, as far as a test needs it: Node makes and signs with keys, but makes no
 * certificates.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** In PEM, as `node:tls` takes them. */
export type Certificate = { readonly cert: string; readonly key: string };

export type Authority = {
  readonly cert: string;
  /**
   * For host names and IPv4 addresses. Valid from yesterday on for a month, unless said otherwise.
   */
  issue(names: readonly string[], validity?: Validity): Certificate;
};

type Validity = { readonly from?: Date; readonly until?: Date };

const DAY_MS = 86_400_000;

export function createAuthority(name: string): Authority {
  const { publicKey, privateKey } = newKeys();
  const isAuthority = extension('2.5.29.19', sequence(der(0x01, Buffer.of(0xff))));
  const cert = certificate({
    issuer: name,
    subject: name,
    publicKey,
    signer: privateKey,
    extensions: [isAuthority],
  });
  return {
    cert,
    issue(names, validity = {}) {
      const keys = newKeys();
      const extensions = [alternativeNames(names)];
      const subject = names[0] ?? '';
      return {
        cert: certificate({
          issuer: name,
          subject,
          publicKey: keys.publicKey,
          signer: privateKey,
          extensions,
          ...validity,
        }),
        key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

export function selfSigned(names: readonly string[]): Certificate {
  const { publicKey, privateKey } = newKeys();
  const subject = names[0] ?? '';
  const extensions = [alternativeNames(names)];
  return {
    cert: certificate({ issuer: subject, subject, publicKey, signer: privateKey, extensions }),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

type Content = Validity & {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly extensions: readonly Buffer[];
};

function certificate({
  issuer,
  subject,
  publicKey,
  signer,
  extensions,
  from,
  until,
}: Content): string {
  const now = Date.now();
  const content = sequence(
    der(0xa0, integer(Buffer.of(2))),
    // Positive: the first bit is off.
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    commonName(issuer),
    sequence(time(from ?? new Date(now - DAY_MS)), time(until ?? new Date(now + 30 * DAY_MS))),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', content, signer));
  const base64 = sequence(content, ECDSA_WITH_SHA256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
}

function alternativeNames(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    isIPv4(name)
      ? der(0x87, Buffer.from(name.split('.').map(Number)))
      : der(0x82, Buffer.from(name)),
  );
  return extension('2.5.29.17', sequence(...entries));
}

const extension = (oid: string, value: Buffer) => sequence(objectId(oid), der(0x04, value));
const commonName = (text: string) =>
  sequence(der(0x31, sequence(objectId('2.5.4.3'), der(0x0c, Buffer.from(text)))));
/** UTCTime: YYMMDDhhmmssZ. */
const time = (date: Date) =>
  der(
    0x17,
    Buffer.from(
      `${date
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2)}`,
    ),
  );
const integer = (bytes: Buffer) => der(0x02, bytes);

function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((part) => {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...derLength(content.length)]), content]);
}

function derLength(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
