/**
 * Options of `wh dataset export`, except the filter: the format, and what firewall and proxy
 * formats add to it.
 */
import { FLAGS } from '@whence/dataset/record';
import { UsageError } from '../terminal/exit.ts';
import type { ExportableSection } from '../vocabulary.ts';
import { FIELDS, type Fields } from './fields.ts';

export const EXPORT_FORMATS = [
  'mmdb',
  'csv',
  'ndjson',
  'nftables',
  'ipset',
  'haproxy',
  'nginx-geo',
] as const;
export type Format = (typeof EXPORT_FORMATS)[number];

export type FormatOptions = {
  readonly name?: string;
  readonly table?: string;
  readonly value?: string;
  readonly compatible?: string | true;
  /** What an export has only on request. */
  readonly include?: ReadonlySet<ExportableSection>;
};

const FORMATS_OF_OPTIONS: Readonly<Record<keyof FormatOptions, readonly Format[]>> = {
  name: ['nftables', 'ipset', 'nginx-geo'],
  table: ['nftables'],
  value: ['haproxy', 'nginx-geo'],
  compatible: ['mmdb'],
  include: ['mmdb', 'csv', 'ndjson'],
};

/** An option without effect is a mistake, so it is rejected. */
export function rejectInapplicableOptions(format: Format, options: FormatOptions): void {
  for (const [option, formats] of Object.entries(FORMATS_OF_OPTIONS) as [
    keyof FormatOptions,
    readonly Format[],
  ][])
    if (options[option] !== undefined && !formats.includes(format))
      throw new UsageError(`--${option} applies only to ${formats.join(', ')}`);
}

export const isMap = (format: Format) => FORMATS_OF_OPTIONS.value.includes(format);

/** ipset allows 31 characters, and `_ipv4_new` is added. */
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,21}$/;
const DEFAULT_NAME = 'whence';

/**
 * A name in a firewall or proxy configuration: of the sets, the nft table or the nginx variable.
 */
export function parseName(option: '--name' | '--table', text = DEFAULT_NAME): string {
  if (!NAME.test(text))
    throw new UsageError(
      `${option} is ${JSON.stringify(text)}, but must be a letter followed by at most 21 letters, digits or underscores`,
    );
  return text;
}

const MAPPED_FIELDS = FIELDS.filter((name) => !FLAGS.some((flag) => flag === name));

/**
 * The value of a network in a map for HAProxy or nginx: the field chosen with `--value`, or 1 for
 * every match.
 */
export type MappedValue = {
  /** Undefined: 1 for every match. */
  readonly field: keyof Fields | undefined;
  /** Undefined if the network has no such value; it is then left out. */
  readonly of: (fields: Fields) => string | undefined;
};

export function parseMappedValue(option: string | undefined): MappedValue {
  if (option === undefined) return { field: undefined, of: () => '1' };
  const field = MAPPED_FIELDS.find((name) => name === option);
  if (field === undefined)
    throw new UsageError(
      `--value is ${JSON.stringify(option)}, but must be one of ${MAPPED_FIELDS.join(', ')}; for a flag use --flag without --value`,
    );
  return {
    field,
    of: (fields) => (fields[field] === undefined ? undefined : String(fields[field])),
  };
}
