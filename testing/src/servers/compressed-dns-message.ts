/**
 * A DNS response with compressed names (RFC 1035 §4.1.4), for answers that would not fit into a
 * message without.
 */
import type { Question } from 'dns-packet';

/** RFC 1035 §4.1.1 and §3.2.2. */
const HEADER_BYTES = 12;
const MX = 15;

export type MxAnswer = { readonly preference: number; readonly exchange: string };

/** An answer to an MX question, in which each record repeats the name of the question. */
export function encodeMxResponse(
  id: number,
  flags: number,
  question: Question,
  ttl: number,
  hosts: readonly MxAnswer[],
) {
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [at, value] of [id, 0x8000 | flags, 1, hosts.length].entries())
    header.writeUInt16BE(value, 2 * at);
  const names = new NameWriter();
  const asked = names.write(question.name, HEADER_BYTES);
  const chunks = [header, asked, uint16s(MX, 1)];
  let at = HEADER_BYTES + asked.length + 4;
  for (const { preference, exchange } of hosts) {
    const owner = names.write(question.name, at);
    const target = names.write(exchange, at + owner.length + 12);
    const fixed = uint16s(MX, 1, ttl >>> 16, ttl & 0xffff, 2 + target.length, preference);
    chunks.push(owner, fixed, target);
    at += owner.length + fixed.length + target.length;
  }
  return Buffer.concat(chunks);
}

class NameWriter {
  /** Where in the message a name was written. */
  readonly #written = new Map<string, number>();

  write(name: string, at: number): Buffer {
    const chunks: Buffer[] = [];
    let offset = at;
    let rest = name;
    while (rest !== '' && rest !== '.') {
      const pointer = this.#written.get(rest);
      if (pointer !== undefined) return Buffer.concat([...chunks, uint16s(0xc000 | pointer)]);
      if (offset < 0x4000) this.#written.set(rest, offset);
      const dot = rest.indexOf('.');
      const label = Buffer.from(dot < 0 ? rest : rest.slice(0, dot), 'latin1');
      chunks.push(Buffer.of(label.length), label);
      offset += 1 + label.length;
      rest = dot < 0 ? '' : rest.slice(dot + 1);
    }
    return Buffer.concat([...chunks, Buffer.of(0)]);
  }
}

function uint16s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value, 2 * i);
  return bytes;
}
