/**
 * `file:` URLs: a feed that the operator fetches by other means, or writes. Size and time of the file serve as an ETag.
 */
import type { FileHandle } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { formatSize } from '../format-size.ts';
import { openRegular, UnusableFile } from '../regular-file.ts';
import { writeWholeInChunks } from '../whole-file.ts';
import { type DownloadRequest, type DownloadResult, failed } from './download-request.ts';

export async function downloadLocal(url: URL, request: DownloadRequest): Promise<DownloadResult> {
  let path: string;
  try {
    path = fileURLToPath(url);
  } catch {
    return failed(`${url.href} is not a path; it should look like file:///folder/name`);
  }
  let file: FileHandle;
  try {
    file = await openRegular(path);
  } catch (error) {
    if (error instanceof UnusableFile) return failed(`${path} ${error.message}`);
    return failed(openError(path, error as NodeJS.ErrnoException));
  }
  try {
    return await copy(file, path, url, request);
  } finally {
    await file.close();
  }
}

async function copy(file: FileHandle, path: string, url: URL, request: DownloadRequest): Promise<DownloadResult> {
  const stats = await file.stat();
  const etag = validatorOf(stats);
  if (etag === request.etag) return { kind: 'unchanged' };
  const { maxBytes } = request.limits;
  if (stats.size > maxBytes) return failed(`larger than ${formatSize(maxBytes)}`);
  try {
    await writeWholeInChunks(request.target, async (target) => {
      // A file that grows is read up to its initial size, and then reported as changed.
      const chunks = file.createReadStream({ autoClose: false, start: 0, end: Math.max(0, stats.size - 1) });
      for await (const chunk of chunks) await target.appendFile(chunk);
      if (validatorOf(await file.stat()) !== etag) throw new Changed();
    });
  } catch (error) {
    if (error instanceof Changed) return failed(`${path} changed while it was read`);
    throw error;
  }
  return { kind: 'fetched', bytes: stats.size, url: url.href, etag, lastModified: stats.mtime.toUTCString() };
}

class Changed extends Error {}

function validatorOf({ size, mtimeMs }: { size: number; mtimeMs: number }): string {
  return `"${size}-${mtimeMs}"`;
}

function openError(path: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return `no such file: ${path}`;
  if (code === 'EACCES' || code === 'EPERM') return `permission denied: ${path}`;
  return `${path} cannot be read: ${message}`;
}
