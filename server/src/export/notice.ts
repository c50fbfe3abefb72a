/** Whose data an export holds. Their licences ask that the credit goes wherever the data go. */
import type { Meta } from '@whence/dataset/record';

const CHANGES =
  'ranges were merged, divided into networks and joined with tables of Whence; registry, kind of connection, flags and ' +
  'threat score were derived.';

const LICENCE_ADDRESSES: Readonly<Record<string, string>> = {
  'CC BY 4.0': 'https://creativecommons.org/licenses/by/4.0/',
  'CC BY-SA 4.0': 'https://creativecommons.org/licenses/by-sa/4.0/',
  'Apache-2.0': 'https://www.apache.org/licenses/LICENSE-2.0',
};

/** The file beside an export. */
export function noticeText(meta: Meta, name: string): string {
  const sources = meta.sources.map(({ id, as_of, licence, credit }) => {
    const address = LICENCE_ADDRESSES[licence];
    return `- ${id}, as of ${as_of}\n  licence: ${licence}${address === undefined ? '' : `, ${address}`}\n  credit: ${credit}\n`;
  });
  return (
    `${name} was exported from version ${meta.version} of a Whence dataset, built ${meta.built_at}.\n` +
    `Whoever passes it on passes these credits on with it.\n\n${sources.join('')}\nChanges made: ${CHANGES}\n`
  );
}

/** In a sentence or two, for formats that have room for it: each credit once. */
export function shortNotice(meta: Meta): string {
  const credits = new Set(meta.sources.map(({ licence, credit }) => `${credit}, ${licence}`));
  return `Whence dataset version ${meta.version}. Contains data of: ${[...credits].join('; ')}. Changes made: ${CHANGES}`;
}

/** On one line: a line break in a credit would end the comment. */
export function commentLine(meta: Meta, mark: string): string {
  return `${mark} ${shortNotice(meta).replaceAll(/\s+/g, ' ')}\n`;
}
