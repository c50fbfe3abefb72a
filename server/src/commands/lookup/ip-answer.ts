/** What is known about an address, as the commands print it: a record, or why there is none. */
import type { Address } from '@whence/dataset/address';
import { DatasetError } from '@whence/dataset/dataset-error';
import type { Dataset } from '@whence/dataset/internal/file/read';
import type { RecordSpan, WantedVersion } from '@whence/dataset/internal/history/past-versions';
import type { Explanation } from '@whence/dataset/internal/lookup/evidence';
import { type IpRecord, isThreatKnown, type ThreatKnowledge } from '@whence/dataset/record';
import type { SpecialPurpose } from '@whence/dataset/special-purpose';
import type { AddressMembers, ExchangeAddress } from '../../address/sections.ts';
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
import { jsonLine, printable, quoteCell } from '../../terminal/printable.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { cutToWidth, type Paint, type Style } from '../../terminal/style.ts';
import type { AddressSection } from '../../vocabulary.ts';
import type { Invalid } from './listed-arguments.ts';

export type FoundAnswer = IpRecord & Partial<Explanation> & AddressMembers;
/** `ip` is the text of an entry that is not an address. */
export type MissingAnswer = { ip: string; error: string; code: string; details?: SpecialPurpose };
export type IpAnswer = FoundAnswer | ExchangeAddress | MissingAnswer;

export const isFound = (answer: IpAnswer): answer is FoundAnswer => 'prefix' in answer;
export const isMissing = (answer: IpAnswer): answer is MissingAnswer => 'error' in answer;
export const NO_DATA = 'no data found for IP';

export type AskedOfIp = { readonly explain: boolean; readonly include: ReadonlySet<AddressSection> };

export type IpSource = {
  /** The local one, if that answers. */
  readonly dataset?: Dataset;
  /** Whether its scores mean something. */
  threatKnowledge(): Promise<ThreatKnowledge>;
  /** In the order of the addresses. */
  find(addresses: readonly Address[]): Promise<IpAnswer[]>;
  /** A faster way to the same bytes that `formatLine` makes of these answers. */
  readonly openLines?: (format: DataFormat) => Promise<AnswerLines>;
  close(): void;
};
export type AnswerLines = {
  readonly output: OutputBuffer;
  append(address: Address): boolean;
};

/** The same for earlier versions. */
export type PastSource = {
  history(address: Address): Promise<{ ip: string; changes: PastSpan[] }>;
  /** Throws `notKept` or `noEvidence`. */
  record(address: Address, wanted: WantedVersion): Promise<IpAnswer>;
};
export type PastSpan = Omit<RecordSpan, 'record'> & { readonly record?: IpRecord };

const versionName = (wanted: WantedVersion) =>
  'day' in wanted ? `a version of ${wanted.day}` : `version ${wanted.version}`;

export const notKept = (wanted: WantedVersion, ip: string) =>
  new DatasetError(`${versionName(wanted)} is not kept; see which are with: ${PROGRAM} ip ${ip} --history`);

export const noEvidence = (wanted: WantedVersion) =>
  new DatasetError(
    `the evidence of ${versionName(wanted)} is not kept, only its records; look it up without --explain`,
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
  | { readonly kind: 'row'; readonly style: Style; readonly known?: ThreatKnowledge };

export function csvHeader(fields: readonly Field[]): string {
  return `${['ip', ...withoutIp(fields), 'error'].join(',')}\n`;
}

/** The address is in the first column in any case. */
export const withoutIp = (fields: readonly Field[]): Field[] => fields.filter((field) => field !== 'ip');

export function formatLine(answer: IpAnswer, format: LineFormat): string {
  switch (format.kind) {
    case 'json':
      return jsonLine(isMissing(answer) ? answer : selected(answer, format.fields));
    case 'csv': {
      const cells = withoutIp(format.fields).map((field) => cellText(fieldValue(answer, field)));
      const error = isMissing(answer) ? answer.error : '';
      return `${[answer.ip, ...cells, error].map((cell) => quoteCell(cell, ',')).join(',')}\n`;
    }
    case 'values': {
      const values = format.fields.map((field) => cellText(fieldValue(answer, field)));
      return `${values.map(printable).join('\t')}\n`;
    }
    case 'row':
      return isFound(answer) ? formatRow(answer, format.style, format.known) : missingRow(answer, format.style);
  }
}

function selected(answer: Exclude<IpAnswer, MissingAnswer>, fields: readonly Field[] | undefined): object {
  if (fields === undefined) return answer;
  return Object.fromEntries([
    ['ip', answer.ip],
    ...withoutIp(fields).map((field) => [field, fieldValue(answer, field)] as const),
  ]);
}

export function fieldValue(answer: IpAnswer, field: Field) {
  if (field === 'ip') return answer.ip;
  if (isMissing(answer)) return undefined;
  if (isSectionField(field)) return sectionValue(answer, field);
  if (!isFound(answer)) return undefined;
  const attributes: Attributes = answer;
  return isAttributeField(field) ? attributeValue(attributes, field) : answer[field];
}

/** Wide enough for IPv4; rows are printed as they are found, so they cannot be aligned to the longest. */
const ADDRESS_COLUMNS = 15;

/** A server of an earlier version does not say it. */
const ALL_KNOWN: ThreatKnowledge = { ipv4: true, ipv6: true };
export const UNKNOWN_SCORE = '?';

function formatRow(answer: FoundAnswer, style: Style, known = ALL_KNOWN): string {
  const { ip, asn, asn_name, country, connection_type, threat } = answer;
  const head = [
    ip.padEnd(ADDRESS_COLUMNS),
    `AS${asn}`.padEnd(8),
    country,
    connection_type.padEnd(11),
    (isThreatKnown(answer, known) ? String(threat.score) : UNKNOWN_SCORE).padStart(3),
  ].join('  ');
  const flags = flagsOf(answer.detection).filter((flag) => flag !== connection_type);
  const rest = cutToWidth([...flags, asn_name].join(', '), style.width - head.length - 2);
  return `${threatPaint(style, threat.level)(printable(head))}  ${rest}\n`.replace(/ +\n$/, '\n');
}

function missingRow(answer: Exclude<IpAnswer, FoundAnswer>, style: Style): string {
  const head = printable(answer.ip).padEnd(ADDRESS_COLUMNS);
  const why = isMissing(answer) ? (answer.details?.name ?? answer.error) : `peering LAN of ${answer.routing.exchange}`;
  return `${head}  ${style.dim(cutToWidth(why, style.width - head.length - 2))}\n`;
}

export function threatPaint(style: Style, level: string): Paint {
  if (level === 'low') return (text) => text;
  return level === 'medium' ? style.yellow : style.red;
}
