/**
 * The part of a download that was received so far. A later request continues it if the content on the server is the
 * same:
 *
 *   <target>.part        the beginning of the body
 *   <target>.part.json   where it came from, and the validator for If-Range (RFC 9110 §13.1.5)
 *
 * Without a strong validator it cannot be continued: the file could be joined from two different versions.
 */
import { readFileSync, rmSync, statSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { writeWhole } from '../whole-file.ts';

type PartNote = {
  readonly url: string;
  readonly if_range: string;
  readonly etag?: string;
  readonly last_modified?: string;
  readonly total?: number;
};

export type Part = PartNote & { readonly bytes: number };

export const partPath = (target: string): string => `${target}.part`;

/** The part that was received from this URL, or undefined if it cannot be continued. */
export function readPart(target: string, url: string): Part | undefined {
  try {
    const note = JSON.parse(readFileSync(notePath(target), 'utf8')) as PartNote;
    const bytes = statSync(partPath(target)).size;
    const isUsable =
      note.url === url && typeof note.if_range === 'string' && bytes > 0 && bytes < (note.total ?? Infinity);
    return isUsable ? { ...note, bytes } : undefined;
  } catch {
    // Missing or damaged: the download starts from the beginning, which is always correct.
    return undefined;
  }
}

export function dropPart(target: string): void {
  rmSync(partPath(target), { force: true });
  rmSync(notePath(target), { force: true });
}

/** Called before the first byte, so that a part never exists with the note of another one. */
export function beginPart(target: string, note: PartNote | undefined): void {
  dropPart(target);
  if (note !== undefined) writeWhole(notePath(target), Buffer.from(`${JSON.stringify(note)}\n`));
}

/** Undefined if the answer has no strong validator. */
export function noteOf(url: string, headers: IncomingHttpHeaders, total: number | undefined): PartNote | undefined {
  const { etag, 'last-modified': lastModified, date } = headers;
  const ifRange = etag !== undefined && !etag.startsWith('W/') ? etag : strongDate(lastModified, date);
  if (ifRange === undefined) return undefined;
  return {
    url,
    if_range: ifRange,
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { last_modified: lastModified }),
    ...(total === undefined ? {} : { total }),
  };
}

/** RFC 9110 §8.8.2.2: a date counts if the content could not have changed again within the same second. */
function strongDate(lastModified: string | undefined, date: string | undefined): string | undefined {
  if (lastModified === undefined || date === undefined) return undefined;
  return Date.parse(date) - Date.parse(lastModified) >= 1000 ? lastModified : undefined;
}

const notePath = (target: string) => `${partPath(target)}.json`;
