/**
 * CSV (RFC 4180 with a header, but LF) and NDJSON (without absent values): one network per line.
 */

import { getOrInsert } from '@whence/dataset/get-or-insert';
import type { AddressMembers } from '../address/sections.ts';
import { cellText, sectionValue } from '../fields/fields.ts';
import type { Sink } from '../terminal/output.ts';
import { FIELDS, type Fields } from './fields.ts';
import { COLUMNS, type Row, rowsOf, type Selection, sectionColumns, selectRuns } from './rows.ts';

/** Returns the number of rows. Without rows, not even the header is written. */
export function writeCsv(selection: Selection, sink: Sink): Promise<number> {
  const more = sectionColumns(selection);
  return writeLines(selection, sink, {
    header: `${[...COLUMNS, ...more].join(',')}\n`,
    formatFields: formatCells,
    formatMembers: (members) =>
      more.map((name) => `,${quote(cellText(sectionValue(members, name)))}`).join(''),
    formatRow: ({ network, prefix }, fields, members) =>
      `${network},${prefix},${fields}${members}\n`,
  });
}

export function writeNdjson(selection: Selection, sink: Sink): Promise<number> {
  const more = sectionColumns(selection);
  return writeLines(selection, sink, {
    header: '',
    formatFields: (fields) => JSON.stringify(fields).slice(1, -1),
    formatMembers: (members) => {
      const values = more.map((name) => [name, sectionValue(members, name)] as const);
      const present = values.filter(([, value]) => value !== undefined);
      return present.map(([name, value]) => `,"${name}":${JSON.stringify(value)}`).join('');
    },
    formatRow: ({ network, prefix }, fields, members) =>
      `{"network":"${network}","prefix":"${prefix}",${fields}${members}}\n`,
  });
}

type LineFormat = {
  readonly header: string;
  /** Called once per distinct record. */
  readonly formatFields: (fields: Fields) => string;
  /** Called once for distinct content of the sections that are included. */
  readonly formatMembers: (members: AddressMembers) => string;
  readonly formatRow: (row: Row, fields: string, members: string) => string;
};

async function writeLines(
  selection: Selection,
  sink: Sink,
  { header, formatFields, formatMembers, formatRow }: LineFormat,
): Promise<number> {
  const texts = new Map<Fields, string>();
  const memberTexts = new Map<AddressMembers, string>();
  let rows = 0;
  for await (const batch of selectRuns(selection)) {
    let chunk = rows === 0 ? header : '';
    for (const run of batch) {
      const { fields, members: more } = run;
      const text = getOrInsert(texts, fields, () => formatFields(fields));
      const members =
        more === undefined ? '' : getOrInsert(memberTexts, more, () => formatMembers(more));
      for (const row of rowsOf(run)) {
        chunk += formatRow(row, text, members);
        rows++;
      }
    }
    await sink.write(chunk);
  }
  return rows;
}

function formatCells(fields: Fields): string {
  return FIELDS.map((name) => quote(String(fields[name] ?? ''))).join(',');
}

/**
 * RFC 4180 §2, for databases: unlike `csvCell`, an apostrophe would become part of the value. Any
 * field may be quoted; some readers treat ' as a quote, \\N as null, or trim spaces.
 */
function quote(text: string): string {
  return /[",\r\n'\\]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
