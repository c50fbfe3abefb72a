/**
 * Credits of the sources in an export. Their licences require the credits to accompany the data.
 */
import type { Meta } from '@whence/dataset/record';
import { flagSentence } from '../terminal/flag-note.ts';
import { printable } from '../terminal/printable.ts';
import type { Selection } from './rows.ts';

const CHANGES =
  'ranges were merged, split into networks and combined with tables of Whence; registry, connection type, flags and ' +
  'threat score were derived.';

const LICENCE_URLS: Readonly<Record<string, string>> = {
  'CC BY 4.0': 'https://creativecommons.org/licenses/by/4.0/',
  'CC BY-SA 4.0': 'https://creativecommons.org/licenses/by-sa/4.0/',
  'Apache-2.0': 'https://www.apache.org/licenses/LICENSE-2.0',
};

type Credited = Pick<Selection, 'dataset' | 'vrps' | 'vrpsAsOf'>;

/**
 * The meta data with the sources of everything that is exported, each once, and the day by which
 * lists are judged.
 */
export type CreditedMeta = Meta & { readonly day: string };

export function creditedMeta({ dataset: { meta, day }, vrps, vrpsAsOf }: Credited): CreditedMeta {
  const roas = vrps &&
    vrpsAsOf && [{ ...ROAS, as_of: vrpsAsOf.toISOString().slice(0, 10), records: vrps.count }];
  return { ...meta, day, sources: [...meta.sources, ...(roas ?? [])] };
}

/** The payloads of `WHENCE_RPKI`. The repositories in which they are published name no licence. */
const ROAS = {
  id: 'rpki',
  licence: 'no licence stated',
  credit:
    'ROAs of the holders of the addresses, published by AFRINIC, APNIC, ARIN, LACNIC and RIPE NCC',
};

export function noticeText(meta: CreditedMeta, name: string): string {
  const sources = meta.sources.map(({ id, as_of, licence, credit }) => {
    const url = LICENCE_URLS[licence];
    const terms = `${licence}${url === undefined ? '' : `, ${url}`}`;
    return [`- ${id}, as of ${as_of}`, `  licence: ${terms}`, `  credit: ${credit}`, '']
      .map(printable)
      .join('\n');
  });
  return (
    `${name} was exported from version ${meta.version} of a Whence dataset, built ${meta.built_at}.\n` +
    `If you redistribute it, include these credits.\n\n${sources.join('')}\nChanges made: ${CHANGES}\n` +
    flagSentence(meta, meta.day).replace(/.$/, '$&\n')
  );
}

/** Each credit once, for embedding in a file. */
export function shortNotice(meta: CreditedMeta): string {
  const credits = new Set(meta.sources.map(({ licence, credit }) => `${credit}, ${licence}`));
  return `Whence dataset version ${meta.version}. Contains data of: ${[...credits].join('; ')}. Changes made: ${CHANGES} ${flagSentence(meta, meta.day)}`.trimEnd();
}

/** On one line: a line break in a credit would end the comment. */
export function commentLine(meta: CreditedMeta, mark: string): string {
  return `${mark} ${printable(shortNotice(meta).replaceAll(/\s+/g, ' '))}\n`;
}

/**
 * For formats that read a line into a buffer of fixed size: nginx refuses a comment of more than
 * 4,096 bytes.
 */
export function commentLines(meta: CreditedMeta): string {
  const lines: string[] = [];
  let line = '#';
  for (const word of printable(shortNotice(meta).replaceAll(/\s+/g, ' ')).split(' ')) {
    if (line.length + word.length >= COMMENT_WIDTH) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return `${[...lines, line].join('\n')}\n`;
}

const COMMENT_WIDTH = 120;
