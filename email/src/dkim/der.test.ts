import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import test from 'node:test';
import fc from 'fast-check';
import { rsaModulusBits } from './der.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

// Any odd number serves as a modulus here, and needs no search for primes. The sizes are those
// around a byte boundary, and those whose lengths take one to three bytes.
for (const bits of [512, 1016, 1023, 1024, 1025, 1536, 2047, 2048, 3072, 4096, 8192, 16384]) {
  test(`der: a modulus of ${bits} bits in both forms`, () => {
    const modulus = (1n << BigInt(bits - 1)) | 1n;
    const digits = modulus.toString(16);
    const n = Buffer.from(
      digits.padStart(digits.length + (digits.length % 2), '0'),
      'hex',
    ).toString('base64url');
    const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
    assert.equal(key.asymmetricKeyDetails?.modulusLength, bits);
    assert.equal(rsaModulusBits(key.export({ type: 'spki', format: 'der' })), bits);
    assert.equal(rsaModulusBits(key.export({ type: 'pkcs1', format: 'der' })), bits);
  });
}

test('der: keys of other kinds are not RSA', () => {
  const ed25519 = generateKeyPairSync('ed25519').publicKey;
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
  const pss = generateKeyPairSync('rsa-pss', { modulusLength: 1024 }).publicKey;
  for (const key of [ed25519, ec, pss])
    assert.equal(rsaModulusBits(key.export({ type: 'spki', format: 'der' })), undefined);
});

const OID = '06 09 2a864886f70d010101';
const KEY = '30 07 02 02 0089 02 01 03';
for (const [behaviour, bytes, want] of [
  ['a small number, by hand', KEY, 8],
  ['a modulus that needs no sign byte', '30 06 02 01 05 02 01 03', 3],
  ['wrapped', `30 1b 30 0d ${OID} 05 00 03 0a 00 ${KEY}`, 8],
  ['wrapped without parameters', `30 19 30 0b ${OID} 03 0a 00 ${KEY}`, 8],
  ['parameters that are not NULL', `30 1c 30 0e ${OID} 04 01 00 03 0a 00 ${KEY}`, undefined],
  ['unused bits at the end', `30 1b 30 0d ${OID} 05 00 03 0a 01 ${KEY}`, undefined],
  ['an empty bit string', `30 11 30 0d ${OID} 05 00 03 00`, undefined],
  ['another algorithm', `30 1b 30 0d 06 09 2a864886f70d01010a 05 00 03 0a 00 ${KEY}`, undefined],
  ['bytes after the end', `${KEY} 00`, undefined],
  ['a length that is too long', '30 08 02 02 0089 02 01 03', undefined],
  ['a length in more bytes than needed', '30 81 07 02 02 0089 02 01 03', undefined],
  ['a length with a leading zero', `30 82 00 07 02 02 0089 02 01 03`, undefined],
  ['an indefinite length', '30 80 02 02 0089 02 01 03 00 00', undefined],
  ['a length of five bytes', '30 85 0000000007 02 02 0089 02 01 03', undefined],
  ['a long tag', '3f 07 02 02 0089 02 01 03', undefined],
  ['a negative modulus', '30 06 02 01 89 02 01 03', undefined],
  ['an integer with a sign byte too many', '30 07 02 02 0005 02 01 03', undefined],
  ['a modulus of zero', '30 06 02 01 00 02 01 03', undefined],
  ['an even modulus', '30 06 02 01 04 02 01 03', undefined],
  ['an exponent of one', '30 06 02 01 05 02 01 01', undefined],
  ['an even exponent', '30 06 02 01 05 02 01 02', undefined],
  ['an empty integer', '30 05 02 00 02 01 03', undefined],
  ['one integer', '30 04 02 02 0089', undefined],
  ['three integers', '30 0a 02 02 0089 02 01 03 02 01 03', undefined],
  ['no integers', '30 06 04 01 05 04 01 03', undefined],
  ['a set', '31 07 02 02 0089 02 01 03', undefined],
  ['nothing', '', undefined],
  ['an empty sequence', '30 00', undefined],
  ['a tag alone', '30', undefined],
] as const) {
  test(`der: ${behaviour}`, () => assert.equal(rsaModulusBits(hex(bytes)), want));
}

test('der: any bytes are read, and what is taken for a key is one for OpenSSL too', () => {
  const real = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
    type: 'spki',
    format: 'der',
  });
  fc.assert(
    fc.property(fc.nat(real.length - 1), fc.nat(255), (at, byte) => {
      assert.equal(rsaModulusBits(real.subarray(0, at)), undefined);
      const bytes = Uint8Array.from(real);
      bytes[at] = byte;
      const bits = rsaModulusBits(bytes);
      if (bits === undefined) return;
      const key = createPublicKey({ key: Buffer.from(bytes), format: 'der', type: 'spki' });
      assert.equal(key.asymmetricKeyDetails?.modulusLength, bits);
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      rsaModulusBits(bytes);
    }),
    { numRuns: 300 },
  );
});
