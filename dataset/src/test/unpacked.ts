/** Compressed fixtures as the content that a parser gets: decompressed into a temporary file. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Content, fileContent } from '../io/content.ts';

export function withGunzipped<T>(path: string, use: (content: Content) => T): T {
  return withFile(gunzipSync(readFileSync(path)), use);
}

function withFile<T>(bytes: Buffer, use: (content: Content) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'whence-unpacked-'));
  try {
    const file = join(folder, 'content');
    writeFileSync(file, bytes);
    return use(fileContent(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
