/**
 * Writes the lists of the rules file in all formats, in one walk over the dataset with the
 * operator's overrides.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { openDataset } from '@whence/dataset/dataset';
import { readRegular, writeAtomically } from '@whence/dataset/io/files';
import { withLock } from '@whence/dataset/io/lock';
import { withOverrides } from '@whence/dataset/overlaid-dataset';
import { OVERRIDES_LIMITS, parseOverrides } from '@whence/dataset/overrides';
import { versionPath } from '@whence/dataset/versions';
import { checksumOf } from '../checksum.ts';
import { dayOfMs } from '../day.ts';
import { formatPrefixes } from '../export/merged-ranges.ts';
import { RULES_LIMITS, readRules, requireRules } from '../rules/live-rules.ts';
import { rangesOf } from '../rules/prefix-file.ts';
import type { AddressList, Conditions } from '../rules/rule-sets.ts';
import { listPrefixes } from './address-list.ts';
import {
  databasesFolder,
  idOf,
  inputsPath,
  isValidOn,
  listPath,
  readIndex,
  replaceIndex,
  type WrittenList,
  type WrittenLists,
} from './file-index.ts';
import { isHeld, validityOf, withHeldNote } from './held-lists.ts';
import { LIST_FORMATS, type ListFormat, RENDERED } from './list-formats.ts';
import { currentVersion } from './write-geoip-files.ts';

/** Files of an operator. Without one there are no lists, or no overrides. */
export type ListFiles = {
  readonly rules: string | undefined;
  readonly overrides: string | undefined;
};

type Inputs = {
  readonly lists: readonly Pick<AddressList, 'name' | 'conditions' | 'maxLoss'>[];
  /** Files of prefixes that the rules name. */
  readonly files: readonly string[];
  readonly overrides: { readonly text: string; readonly day: string } | undefined;
};

/**
 * Does nothing if these lists are written and valid. `day` is the one by which lists of the sources
 * are judged; without
 * `files` what the lists were last written from is used; `isAccepted`: no list is held back.
 */
export async function writeLists(
  dataDir: string,
  day: string,
  files?: ListFiles,
  isAccepted = false,
): Promise<WrittenLists | undefined> {
  return withLock(databasesFolder(dataDir), 'writing lists', async () => {
    const entry = currentVersion(dataDir);
    const index = readIndex(dataDir);
    const inputs = files === undefined ? lastInputs(dataDir) : await readInputs(dataDir, files);
    const digest = checksumOf([JSON.stringify(inputs)]);
    const idUntil = (validUntil: string | undefined) => `${idOf(entry, validUntil)}-${digest}`;
    const writtenLists = index.lists;
    const isHolding = writtenLists?.lists.some(({ heldFrom }) => heldFrom !== undefined) === true;
    if (
      writtenLists !== undefined &&
      writtenLists.id === idUntil(writtenLists.validUntil) &&
      isValidOn(day, writtenLists)
    )
      if (!isHolding || !isAccepted) return undefined;
    const { lists, files: prefixFiles, overrides } = inputs;
    const dataset = withOverrides(
      openDataset(versionPath(dataDir, entry), day),
      overrides && parseOverrides(overrides.text, overrides.day),
    );
    const prefixLists =
      lists.length === 0
        ? []
        : listPrefixes(
            lists.map(({ conditions }) => conditions),
            dataset,
          );
    const kept = lists.map(({ name, conditions, maxLoss }, i) => {
      const text = prefixLists[i] ?? { 4: '', 6: '' };
      const prefixes = { 4: text[4].split('\n').slice(0, -1), 6: text[6].split('\n').slice(0, -1) };
      const definition = checksumOf([JSON.stringify([conditions, overrides])]);
      const now = {
        definition,
        prefixes: prefixes[4].length + prefixes[6].length,
        version: entry.version,
      };
      const before = isAccepted
        ? undefined
        : writtenLists?.lists.find((list) => list.name === name);
      const held =
        before !== undefined && isHeld(day, before, now, { maxLoss }) ? before : undefined;
      return { name, conditions, text, prefixes, now, held };
    });
    const days = [dataset.validUntil, ...kept.map(({ held }) => held?.validUntil)].filter(
      (day) => day !== undefined,
    );
    const [validUntil] = days.sort();
    const id = idUntil(validUntil);
    const written = kept.map(({ name, conditions, text, prefixes, now, held }, i): WrittenList => {
      const file = held === undefined ? `${id}-${i}` : `${id}-${i}-held`;
      const bytes = {} as Record<ListFormat, number>;
      const sha256 = {} as Record<ListFormat, string>;
      for (const format of LIST_FORMATS) {
        const content =
          held === undefined
            ? RENDERED[format]({ name, prefixes, dataset })
            : withHeldNote(
                format,
                readFileSync(listPath(dataDir, held, format), 'utf8'),
                held,
                now,
              );
        const encoded = Buffer.from(content);
        writeAtomically(listPath(dataDir, { file }, format), encoded);
        bytes[format] = encoded.length;
        sha256[format] = createHash('sha256').update(encoded).digest('hex');
      }
      if (held !== undefined) return { ...held, file, bytes, sha256, heldFrom: now.version };
      const etag = `W/"${createHash('sha256').update(`${text[4]}\n${text[6]}`).digest('base64url').slice(0, 22)}"`;
      const same = writtenLists?.lists.find((list) => list.name === name && list.etag === etag);
      const sinceVersion = Math.min(same?.sinceVersion ?? now.version, now.version);
      const validity = validityOf(conditions, dataset, overrides !== undefined);
      return { name, file, etag, bytes, sha256, sinceVersion, ...now, ...validity };
    });
    const replaced: WrittenLists = { id, validUntil, lists: written, prefixFiles };
    writeAtomically(inputsPath(dataDir), Buffer.from(JSON.stringify(inputs)));
    replaceIndex(dataDir, { ...index, lists: replaced });
    return replaced;
  });
}

const lastInputs = (dataDir: string) =>
  JSON.parse(readFileSync(inputsPath(dataDir), 'utf8')) as Inputs;

/** As the server uses them: while a file has a mistake, what was read before it stays in use. */
async function readInputs(dataDir: string, { rules, overrides }: ListFiles): Promise<Inputs> {
  const before = () => lastInputs(dataDir);
  return {
    ...(await lastValid(
      async () => (rules === undefined ? { lists: [], files: [] } : readListConditions(rules)),
      () => ({ lists: before().lists, files: before().files }),
    )),
    overrides: await lastValid(
      async () => (overrides === undefined ? undefined : readOverrides(overrides)),
      () => before().overrides,
    ),
  };
}

async function readListConditions(path: string): Promise<Pick<Inputs, 'lists' | 'files'>> {
  const { file, parts } = requireRules(
    await readRules(path, await readRegular(path, RULES_LIMITS)),
  );
  const lists = [...file.lists.values()].map(({ name, conditions, maxLoss }) => ({
    name,
    conditions: withoutFiles(conditions),
    maxLoss,
  }));
  return { lists, files: parts.map((part) => part.path) };
}

/** With the prefixes of its files among its own. */
function withoutFiles({ prefixes_file: files, ...conditions }: Conditions): Conditions {
  if (files === undefined) return conditions;
  const fromFiles = files.flatMap((file) =>
    [...rangesOf(file)].flatMap((range) => [...formatPrefixes(range)]),
  );
  return { ...conditions, prefixes: [...(conditions.prefixes ?? []), ...fromFiles] };
}

async function readOverrides(path: string): Promise<Inputs['overrides']> {
  const day = dayOfMs(statSync(path).mtimeMs);
  const text = String(await readRegular(path, OVERRIDES_LIMITS));
  parseOverrides(text, day);
  return { text, day };
}

async function lastValid<T>(read: () => Promise<T>, before: () => T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    try {
      return before();
    } catch {
      throw error;
    }
  }
}
