/**
 * Just enough DER (X.690 §10) to measure an RSA public key.
 *
 *     SubjectPublicKeyInfo (RFC 5280 §4.1)    SEQUENCE { SEQUENCE { OID 1.2.840.113549.1.1.1, NULL },
 *                                                        BIT STRING { RSAPublicKey } }
 *     RSAPublicKey (RFC 8017 A.1.1)           SEQUENCE { INTEGER modulus, INTEGER exponent }
 *
 * Strict: definite and shortest lengths, shortest positive integers, no trailing bytes. Some
 * verifiers refuse a key that is encoded otherwise, and the report should say so.
 */
type Element = { readonly tag: number; readonly body: Uint8Array };

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const NULL = 0x05;
const OBJECT_IDENTIFIER = 0x06;
const SEQUENCE = 0x30;
const RSA_ENCRYPTION = '2a864886f70d010101';

/**
 * The bit length of the modulus of an RSA key in either form, or undefined if the bytes are
 * neither.
 */
export function rsaModulusBits(bytes: Uint8Array): number | undefined {
  const [first, second, ...rest] = readSequence(bytes) ?? [];
  if (first === undefined || second === undefined || rest.length > 0) return undefined;
  if (first.tag !== SEQUENCE) return modulusBits(first, second);
  // A BIT STRING begins with the number of unused bits in its last byte, which is 0 here.
  if (!isRsaEncryption(first) || second.tag !== BIT_STRING || second.body[0] !== 0)
    return undefined;
  const [modulus, exponent, ...others] = readSequence(second.body.subarray(1)) ?? [];
  return modulus && exponent && others.length === 0 ? modulusBits(modulus, exponent) : undefined;
}

/** Whether a SEQUENCE states more bytes than there are: the end of the key is missing. */
export function isCutOff(bytes: Uint8Array): boolean {
  const [tag, form = 0, high = 0, low = 0] = bytes;
  if (tag !== SEQUENCE) return false;
  if (form === 0x82) return 4 + high * 256 + low > bytes.length;
  return form === 0x81 ? 3 + high > bytes.length : form < 0x80 && 2 + form > bytes.length;
}

/**
 * RFC 3279 §2.3.1 requires NULL parameters. Some encoders leave them out, and verifiers accept
 * that.
 */
function isRsaEncryption({ body }: Element): boolean {
  const [algorithm, parameters, ...rest] = readElements(body) ?? [];
  if (
    algorithm?.tag !== OBJECT_IDENTIFIER ||
    Buffer.from(algorithm.body).toString('hex') !== RSA_ENCRYPTION
  )
    return false;
  return (
    rest.length === 0 &&
    (parameters === undefined || (parameters.tag === NULL && parameters.body.length === 0))
  );
}

function modulusBits(modulus: Element, exponent: Element): number | undefined {
  const n = positiveInteger(modulus);
  const e = positiveInteger(exponent);
  // RFC 8017 §3.1: the modulus is a product of odd primes, the exponent is at least 3 and coprime
  // to an even number. So both are odd.
  if (
    n === undefined ||
    e === undefined ||
    !isOdd(n) ||
    !isOdd(e) ||
    (e.length === 1 && e[0] === 1)
  )
    return undefined;
  return n.length * 8 - (Math.clz32(n[0] ?? 0) - 24);
}

/** Without a leading sign byte; undefined if zero, negative, or not in the shortest form. */
function positiveInteger({ tag, body }: Element): Uint8Array | undefined {
  const [first, second] = body;
  if (tag !== INTEGER || first === undefined || first >= 0x80) return undefined;
  if (first !== 0) return body;
  return second !== undefined && second >= 0x80 ? body.subarray(1) : undefined;
}

function isOdd(bytes: Uint8Array): boolean {
  return ((bytes.at(-1) ?? 0) & 1) === 1;
}

function readSequence(bytes: Uint8Array): Element[] | undefined {
  const [sequence, ...rest] = readElements(bytes) ?? [];
  return sequence?.tag === SEQUENCE && rest.length === 0 ? readElements(sequence.body) : undefined;
}

function readElements(bytes: Uint8Array): Element[] | undefined {
  const elements: Element[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0;
    const length = readLength(bytes, at + 1);
    // Tags above 30 continue in further bytes; no key has one.
    if ((tag & 0x1f) === 0x1f || length === undefined || length.end + length.value > bytes.length)
      return undefined;
    at = length.end + length.value;
    elements.push({ tag, body: bytes.subarray(length.end, at) });
  }
  return elements;
}

/**
 * X.690 §8.1.3, §10.1: up to 127 one byte; else a count (here at most four), then as few bytes as
 * possible.
 */
function readLength(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0x80) return { value: first, end: at + 1 };
  const end = at + 1 + (first & 0x7f);
  if (first === 0x80 || first > 0x84 || end > bytes.length) return undefined;
  const value = bytes.subarray(at + 1, end).reduce((sum, byte) => sum * 256 + byte, 0);
  return value >= 0x80 && bytes[at + 1] !== 0 ? { value, end } : undefined;
}
