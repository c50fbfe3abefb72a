/**
 * The embedded default: where its sources are, and its compiled form. A clone has the sources as
 * npm packages and compiles them at the first start. The packed server has both in its folder
 * `embedded`, made by `.ci/pack.mjs`:
 *
 *   datasets/                      the dataset, compiled: the folder is a data directory, from which commands read
 *   CREDITS                        its sources
 *   @ip-location-db/asn/ …         per package: package.json, licences, and the files that are read, compressed
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { publishFirst, readManifest, versionPath } from '@whence/dataset/versions';
import { EMBEDDED } from '../installation.ts';
import { defaultOverrides } from '../settings/data-folder.ts';

/** The folder of an npm package that is a source of the embedded default, or a copy of it. */
export function locatePackage(name: string): string | undefined {
  const copy = join(EMBEDDED, name);
  if (existsSync(copy)) return copy;
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

export type DataSettings = { readonly dataDir: string; readonly overrides?: string | undefined };

/** The configured file, or else `overrides.json` in the data directory, if it exists. */
export function overridesFile({ dataDir, overrides }: DataSettings): string | undefined {
  if (overrides !== undefined) return overrides;
  const file = defaultOverrides(dataDir);
  return existsSync(file) ? file : undefined;
}

/**
 * Publishes the compiled dataset as the first version. False if this is a clone, or if there are
 * versions already.
 */
export function publishEmbedded(dataDir: string): boolean {
  const [entry] = readManifest(EMBEDDED)?.versions ?? [];
  if (entry === undefined || (readManifest(dataDir)?.versions.length ?? 0) > 0) return false;
  return publishFirst(dataDir, readFileSync(versionPath(EMBEDDED, entry)));
}
