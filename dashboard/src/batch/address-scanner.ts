/**
 * Finds and counts the addresses of a text by the rules of `wh enrich`. The text can be a log, CSV,
 * JSON or an email.
 */
import { type Address, formatAddress } from '@whence/dataset/address';
import { AddressFinder, isMistypedQuad, isWordByte } from '@whence/dataset/find-address';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { Scanner } from '../scan.ts';

/** With their records they take about 200 MB of memory in a browser. */
export const MAX_ADDRESSES = 500_000;

export class AddressScanner extends Scanner {
  readonly #stream = new AddressStream(
    (address) => {
      if (findSpecialPurpose(address) === undefined) this.add(formatAddress(address));
      else this.special++;
    },
    () => {
      this.invalid++;
    },
  );
  readonly #encoder = new TextEncoder();

  constructor() {
    super(MAX_ADDRESSES);
  }

  push(chunk: Uint8Array | string): void {
    this.#stream.push(typeof chunk === 'string' ? this.#encoder.encode(chunk) : chunk);
  }

  finish(): void {
    this.#stream.finish();
  }
}

const LINE_BREAK = 0x0a;
const SLASH = 0x2f;
/** A text without a separator for this long is cut where it is; it is no log. */
const MAX_REST_BYTES = 1_000_000;

export class AddressStream {
  readonly #onAddress: (address: Address) => void;
  readonly #finder: AddressFinder;
  /** The end of the last chunk, which the next one may continue. */
  #rest: Uint8Array = new Uint8Array(0);

  /** `onMistyped`: four numbers with dots that are not an address. */
  constructor(onAddress: (address: Address) => void, onMistyped: () => void) {
    this.#onAddress = onAddress;
    this.#finder = new AddressFinder((bytes, start, end, from) => {
      if (isMistypedQuad(bytes, start, end, from)) onMistyped();
    });
  }

  push(chunk: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? chunk : joined(this.#rest, chunk);
    const cut = cutIn(bytes);
    this.#scan(bytes, cut);
    this.#rest = bytes.slice(cut);
  }

  finish(): void {
    this.#scan(this.#rest, this.#rest.length);
    this.#rest = new Uint8Array(0);
  }

  /** Line by line, as `enrich` does: what precedes a word on another line does not matter. */
  #scan(bytes: Uint8Array, end: number): void {
    for (let start = 0; start < end; ) {
      const lineBreak = bytes.indexOf(LINE_BREAK, start);
      const lineEnd = lineBreak < 0 || lineBreak > end ? end : lineBreak;
      this.#finder.end = start;
      for (;;) {
        const address = this.#finder.next(bytes, this.#finder.end, lineEnd);
        if (address === undefined) break;
        this.#onAddress(address);
      }
      start = lineEnd + 1;
    }
  }
}

/**
 * Where the bytes can be cut: after a separator, so that no word is split. A slash is kept with the
 * word after it, because `name/1.2.3.4` is a version, not an address.
 */
function cutIn(bytes: Uint8Array): number {
  for (let at = bytes.length; at > 0; at--) {
    const byte = bytes[at - 1] as number;
    if (!isWordByte(byte) && byte !== SLASH) return at;
  }
  return bytes.length > MAX_REST_BYTES ? bytes.length : 0;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
