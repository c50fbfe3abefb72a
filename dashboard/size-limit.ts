/** Fails the build if the first page, with everything it loads at once, is above the limit (gzip). */
import { gzipSync } from 'node:zlib';
import type { Plugin, Rollup } from 'vite';

type Limit = { readonly entry: string; readonly maxGzipBytes: number };

export function sizeLimit({ entry, maxGzipBytes }: Limit): Plugin {
  return {
    name: 'whence:size-limit',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const first = firstPage(bundle, entry);
        const sizes = new Map(Object.values(bundle).map((file) => [file.fileName, gzipBytes(file)]));
        const sum = [...first].reduce((bytes, name) => bytes + (sizes.get(name) ?? 0), 0);
        const text = `dashboard: first page ${kilobytes(sum)} gzip, limit ${kilobytes(maxGzipBytes)}`;
        if (sum > maxGzipBytes) this.error(`${text}. Load what the first page does not need with import().`);
      },
    },
  };
}

/** The page, the files it names, and what those import statically. */
function firstPage(bundle: Rollup.OutputBundle, entry: string): Set<string> {
  const page = bundle[entry];
  if (page?.type !== 'asset') throw new Error(`the build has no ${entry}`);
  const html = String(page.source);
  const names = new Set([entry]);
  const visit = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    const file = bundle[name];
    if (file?.type === 'chunk') file.imports.forEach(visit);
  };
  for (const name of Object.keys(bundle)) if (html.includes(name)) visit(name);
  return names;
}

function gzipBytes(file: Rollup.OutputAsset | Rollup.OutputChunk): number {
  return gzipSync(file.type === 'chunk' ? file.code : file.source).length;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
