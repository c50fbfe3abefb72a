/** What is known about an address, as the commands print it: a record, or why there is none. */
import type { Address } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import type { Explanation } from '@whence/dataset/evidence';
import type { IpRecord } from '@whence/dataset/record';
import type { SpecialPurpose } from '@whence/dataset/special-purpose';
import type { RecordSpan, WantedVersion } from '@whence/dataset/versions/past';
import type { AddressMembers } from '../../address/sections.ts';
import { csvCell } from '../../csv-cell.ts';
import type { OutputBuffer } from '../../enrich/output-buffer.ts';
import {
  type Attributes,
  attributeValue,
  cellText,
  type Field,
  flagsOf,
  isAttributeField,
  isSectionField,
  sectionValue,
} from '../../fields/fields.ts';
import { NegativeAnswer } from '../../terminal/exit.ts';
import type { ShownGap } from '../../terminal/flag-note.ts';
import { jsonLine, printable } from '../../terminal/printable.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { cutToWidth, type Paint, type Style } from '../../terminal/style.ts';
import type { AddressSection } from '../../vocabulary.ts';
import type { Invalid } from './listed-arguments.ts';

export type FoundAnswer = IpRecord & Partial<Explanation> & AddressMembers;
/** `ip` is the text of an entry that is not an address. */
export type MissingAnswer = { ip: string; error: string; code: string; details?: SpecialPurpose };
export type IpAnswer = FoundAnswer | MissingAnswer;

export const isFound = (answer: IpAnswer): answer is FoundAnswer => 'prefix' in answer;
export const NO_DATA = 'no data found for IP';

export type IpOptions = {
  readonly explain: boolean;
  readonly include: ReadonlySet<AddressSection>;
};

export type IpSource = {
  /** The local one, if that answers. */
  readonly dataset?: Dataset;
  /** Tells why the score of a record may be too low. */
  threatGaps(): Promise<GapOf>;
  /** In the order of the addresses. */
  find(addresses: readonly Address[]): Promise<IpAnswer[]>;
  /** A faster way to the same bytes that `formatLine` makes of these answers. */
  readonly openLines?: (format: DataFormat) => Promise<AnswerLines>;
  close(): void;
};
/** Undefined if the score is complete. */
export type GapOf = (answer: FoundAnswer) => ShownGap | undefined;
export type AnswerLines = {
  readonly output: OutputBuffer;
  append(address: Address): boolean;
};

/** The same for earlier versions. */
export type PastSource = {
  history(address: Address): Promise<{ ip: string; changes: PastSpan[] }>;
  /** Throws `notKept`. */
  record(address: Address, wanted: WantedVersion): Promise<IpAnswer>;
};
export type PastSpan = Omit<RecordSpan, 'record'> & { readonly record?: IpRecord };

const versionName = (wanted: WantedVersion) =>
  'day' in wanted ? `a version of ${wanted.day}` : `version ${wanted.version}`;

export const notKept = (wanted: WantedVersion, ip: string) =>
  new NegativeAnswer(
    `${versionName(wanted)} is not kept; see which are with: ${PROGRAM} ip ${ip} --history`,
  );

export function missingAnswer(ip: string, details: SpecialPurpose | undefined): MissingAnswer {
  return { ip, error: NO_DATA, code: 'NOT_FOUND', ...(details && { details }) };
}

export function invalidAnswer({ text, error, code }: Invalid): MissingAnswer {
  return { ip: text, error, code };
}

/** How an answer is printed on one line, for programs or for people. */
export type DataFormat =
  | { readonly kind: 'json'; readonly fields: readonly Field[] | undefined }
  | { readonly kind: 'csv'; readonly fields: readonly Field[] };
export type LineFormat =
  | DataFormat
  | { readonly kind: 'values'; readonly fields: readonly Field[] }
  | { readonly kind: 'row'; readonly style: Style };

export function csvHeader(fields: readonly Field[]): string {
  return `${['ip', ...withoutIp(fields), 'error'].join(',')}\n`;
}

/** The address is in the first column in any case. */
export const withoutIp = (fields: readonly Field[]): Field[] =>
  fields.filter((field) => field !== 'ip');

export function formatLine(answer: IpAnswer, format: LineFormat, gapOf: GapOf): string {
  switch (format.kind) {
    case 'json':
      return jsonLine(isFound(answer) ? selected(answer, format.fields, gapOf) : answer);
    case 'csv': {
      const cells = withoutIp(format.fields).map((field) =>
        cellText(fieldValue(answer, field, gapOf)),
      );
      const error = isFound(answer) ? '' : answer.error;
      return `${[answer.ip, ...cells, error].map((cell) => csvCell(cell)).join(',')}\n`;
    }
    case 'values': {
      const values = format.fields.map((field) => cellText(fieldValue(answer, field, gapOf)));
      return `${values.map(printable).join('\t')}\n`;
    }
    case 'row':
      return isFound(answer)
        ? formatRow(answer, format.style, gapOf(answer))
        : missingRow(answer, format.style);
  }
}

function selected(answer: FoundAnswer, fields: readonly Field[] | undefined, gapOf: GapOf): object {
  if (fields === undefined) return answer;
  return Object.fromEntries([
    ['ip', answer.ip],
    ...withoutIp(fields).map((field) => [field, fieldValue(answer, field, gapOf)] as const),
  ]);
}

function fieldValue(answer: IpAnswer, field: Field, gapOf: GapOf) {
  if (field === 'ip') return answer.ip;
  if (!isFound(answer)) return undefined;
  if (isSectionField(field)) return sectionValue(answer, field);
  const attributes: Attributes = answer;
  return isAttributeField(field)
    ? attributeValue(attributes, field, gapOf(answer) === undefined)
    : answer[field];
}

/**
 * Wide enough for IPv4; rows are printed as they are found, so they cannot be aligned to the
 * longest.
 */
const ADDRESS_COLUMNS = 15;

export const UNKNOWN_SCORE = '?';

function formatRow(answer: FoundAnswer, style: Style, gap: ShownGap | undefined): string {
  const { ip, asn, asn_name, country, connection_type, threat } = answer;
  const head = [
    ip.padEnd(ADDRESS_COLUMNS),
    `AS${asn}`.padEnd(8),
    country,
    connection_type.padEnd(11),
    (gap === undefined || threat.score > 0 ? String(threat.score) : UNKNOWN_SCORE).padStart(3),
  ].join('  ');
  const flags = flagsOf(answer.detection).filter((flag) => flag !== connection_type);
  const rest = cutToWidth([...flags, asn_name].join(', '), style.width - head.length - 2);
  return `${threatPaint(style, threat.level)(printable(head))}  ${rest}\n`.replace(/ +\n$/, '\n');
}

function missingRow({ ip, error, details }: MissingAnswer, style: Style): string {
  const head = printable(ip).padEnd(ADDRESS_COLUMNS);
  const why = details?.name ?? error;
  return `${head}  ${style.dim(cutToWidth(why, style.width - head.length - 2))}\n`;
}

export function threatPaint(style: Style, level: string): Paint {
  if (level === 'low') return (text) => text;
  return level === 'medium' ? style.yellow : style.red;
}
