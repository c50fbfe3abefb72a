/** Changes a module of the dataset package as it is loaded: see next-format.ts. */
import type { LoadHook } from 'node:module';

const VERSION = /FORMAT_VERSION = (\d+)/;

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (!url.endsWith('/dataset/dist/file/format.js')) return loaded;
  const source = String(loaded.source);
  const [, version] = VERSION.exec(source) ?? [];
  if (version === undefined) throw new Error(`${url} has no FORMAT_VERSION`);
  return { ...loaded, source: source.replace(VERSION, `FORMAT_VERSION = ${Number(version) + 1}`) };
};
