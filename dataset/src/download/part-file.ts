/**
 * What was received of a download so far. A later request continues it, if the server still has the same content:
 *
 *   <target>.part        the beginning of the body
 *   <target>.part.json   where it came from, and the validator for If-Range (RFC 9110 §13.1.5)
 *
 * Without a strong validator it cannot be continued: two halves of two versions would look like one.
 */
import { readFileSync, rmSync, statSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { writeWhole } from '../versions/whole-file.ts';

export type PartNote = {
  readonly url: string;
  readonly if_range: string;
  readonly etag?: string;
  readonly last_modified?: string;
  readonly total?: number;
};

export type Part = PartNote & { readonly bytes: number };

export const partPath = (target: string): string => `${target}.part`;

/** What was received from this URL, unless it cannot be continued. */
export function readPart(target: string, url: string): Part | undefined {
  try {
    const note = JSON.parse(readFileSync(notePath(target), 'utf8')) as PartNote;
    const bytes = statSync(partPath(target)).size;
    const isUsable =
      note.url === url && typeof note.if_range === 'string' && bytes > 0 && bytes < (note.total ?? Infinity);
    return isUsable ? { ...note, bytes } : undefined;
  } catch {
    // Not there, or damaged: the download starts at the beginning, which is always right.
    return undefined;
  }
}

export function dropPart(target: string): void {
  rmSync(partPath(target), { force: true });
  rmSync(notePath(target), { force: true });
}

/** Before the first byte, so that a part never lies beside the note of another one. */
export function beginPart(target: string, note: PartNote | undefined): void {
  dropPart(target);
  if (note !== undefined) writeWhole(notePath(target), Buffer.from(`${JSON.stringify(note)}\n`));
}

/** Undefined where the answer carries no validator that is strong enough to continue it. */
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
