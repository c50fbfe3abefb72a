/** The tar file of a database with its credits, as MaxMind's archives have it. */
import type { DatabaseFile, DatabaseVersion } from './file-index.ts';

const TAR_BLOCK = 512;

type Described = Pick<DatabaseVersion, 'builtAt' | 'date' | 'notice'>;

export const tarFolder = (
  { date }: Pick<DatabaseVersion, 'date'>,
  { edition }: Pick<DatabaseFile, 'edition'>,
) => `${edition}_${date.replaceAll('-', '')}`;

/** A folder with the credits and the database. */
export function tarArchive(version: Described, edition: string, database: Buffer): Buffer {
  const folder = tarFolder(version, { edition });
  const entry = (name: string, content: Buffer) => [
    tarHeader(`${folder}/${name}`, content.length, version),
    content,
    Buffer.alloc((TAR_BLOCK - (content.length % TAR_BLOCK)) % TAR_BLOCK),
  ];
  return Buffer.concat([
    ...entry('NOTICE.txt', Buffer.from(version.notice)),
    ...entry(`${edition}.mmdb`, database),
    Buffer.alloc(2 * TAR_BLOCK),
  ]);
}

/** POSIX.1-1988 ustar. */
function tarHeader(path: string, bytes: number, { builtAt }: Described): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, '0'), at);
  header.write(path);
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(bytes, 124, 11);
  octal(Math.floor(Date.parse(builtAt) / 1000), 136, 11);
  // The checksum is that of the header with blanks in its place.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  header.write('\0 ', 154);
  return header;
}
