/**
 * A thread that parses a rules file and the files of prefixes that it names, hands the rules over
 * and ends.
 */
import { resolve } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { readRegular } from '@whence/dataset/io/files';
import { checksumOf } from '../checksum.ts';
import { type FilePart, partOf } from '../lookup/watched-file.ts';
import { InvalidRules, type Mistake, parseRules } from './parse-rules.ts';
import {
  MAX_FILE_PREFIXES,
  MAX_PREFIX_FILES,
  type PrefixFile,
  parsePrefixFile,
} from './prefix-file.ts';
import type { RuleFile } from './rule-sets.ts';

const PARSE_MS = 2_000;
const PREFIX_FILES = { maxBytes: 64_000_000, timeoutMs: 10_000 };

export type ReadRules = { readonly parts: readonly FilePart[] } & (
  | { readonly file: RuleFile; readonly checksum: string }
  | { readonly message: string; readonly mistakes: readonly Mistake[] }
);

const { content, folder } = workerData as { content: Uint8Array; folder: string };
const parts: FilePart[] = [];
try {
  post(PARSE_MS);
  const text = new TextDecoder().decode(content);
  const named = new Set<string>();
  let file = parseRules(text, (path) => {
    named.add(path);
    return parsePrefixFile(path, Buffer.alloc(0), 0);
  });
  const files = await readFiles([...named]);
  post(PARSE_MS);
  if (files.size > 0) file = parseRules(text, (path) => files.get(path) ?? '');
  const read = [...files.values()] as PrefixFile[];
  const buffers = read.flatMap(({ ranges }) => [ranges[4].buffer, ranges[6].buffer]);
  post(
    { file, checksum: checksumOf([content, ...read.map((part) => part.checksum)]), parts },
    buffers,
  );
} catch (error) {
  if (!(error instanceof InvalidRules)) throw error;
  const { message, mistakes } = error;
  post({ message, mistakes, parts });
}

function post(message: number | ReadRules, transferred: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transferred);
}

async function readFiles(paths: readonly string[]): Promise<Map<string, PrefixFile | string>> {
  const files = new Map<string, PrefixFile | string>();
  let left = MAX_FILE_PREFIXES;
  for (const path of paths) {
    post(PREFIX_FILES.timeoutMs);
    const file =
      parts.length < MAX_PREFIX_FILES ? await readFile(path, left) : 'is one file too many';
    if (typeof file !== 'string') left -= file.count;
    files.set(path, file);
  }
  return files;
}

async function readFile(path: string, most: number): Promise<PrefixFile | string> {
  const place = resolve(folder, path);
  parts.push(await partOf(place));
  try {
    return parsePrefixFile(path, await readRegular(place, PREFIX_FILES), most);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) return message;
    return code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code}`;
  }
}
