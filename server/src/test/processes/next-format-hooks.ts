/** Changes two modules of the dataset package as they are loaded: see next-format.ts. */
import type { LoadHook } from 'node:module';

const EARLIER = '[{ format: 6, toCurrent: (file) => withFormat(file, 7) }]';
const WITH_FORMAT = `
import { crc32 } from 'node:zlib';
function withFormat(file, format) {
  const copy = Buffer.from(new Uint8Array(file).buffer);
  copy.writeUInt32LE(format, 8);
  copy.writeUInt32LE(crc32(copy.subarray(0, 28)), 28);
  return copy;
}`;

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const replaced = (from: string, to: string, more = '') => {
    const source = String(loaded.source);
    if (!source.includes(from)) throw new Error(`${url} has no ${from}`);
    return { ...loaded, source: source.replace(from, to) + more };
  };
  if (url.endsWith('/dataset/dist/file/format.js')) return replaced('FORMAT_VERSION = 6', 'FORMAT_VERSION = 7');
  if (url.endsWith('/dataset/dist/file/earlier-formats.js'))
    return replaced('EARLIER_FORMATS = []', `EARLIER_FORMATS = ${EARLIER}`, WITH_FORMAT);
  return loaded;
};
