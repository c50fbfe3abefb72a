/** A zip file, for tests: right, or with a wrong size. */
import { deflateRawSync } from 'node:zlib';

/** A zip file with these entries. `size` is what it says of the unpacked size of each. */
export function zip(files: Readonly<Record<string, string | Buffer>>, size?: number): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(8, 4);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(size ?? bytes.length, 18);
    head.writeUInt16LE(name.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), head, Buffer.from(name), packed]);
    local?.push(entry);
    central?.push(Buffer.from('PK\x01\x02\x14\x00'), head, rest, Buffer.from(name));
    at += entry.length;
  }
  const directory = Buffer.concat(central ?? []);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...(local ?? []), directory, end]);
}
