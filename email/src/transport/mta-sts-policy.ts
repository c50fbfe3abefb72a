/**
 * The policy of MTA-STS: lines of `key: value` (RFC 8461 §3.2), and which MX hosts it lets senders
 * use (§4.1).
 */
import { type Finding, FindingList } from '../findings/finding.ts';
import { excerpt } from '../visible-text.ts';

type MtaStsPolicy = {
  readonly mode: 'enforce' | 'testing' | 'none' | '';
  /** In seconds; 0 if it cannot be read. */
  readonly max_age: number;
  /** In lower case, as far as they are host names. */
  readonly mx: string[];
  readonly errors: Finding[];
};

/** A year and a quarter of a day. */
const MAX_AGE_SECONDS = 31_557_600;
const MAX_NAME_CHARACTERS = 255;
const PATTERN =
  /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export function parseMtaStsPolicy(text: string): MtaStsPolicy {
  const fields = readFields(text);
  const errors = new FindingList();
  const refuse = (field: 'version' | 'mode' | 'max_age' | 'mx', value: string | undefined) =>
    errors.add({
      code: 'bad_mta_sts_policy',
      detail: { field, ...(value !== undefined && { value: excerpt(value) }) },
    });
  // Only mx may be repeated; of others the first counts.
  const first = (key: string) => fields.find((field) => field.key === key)?.value;

  const version = first('version');
  if (version !== 'STSv1') refuse('version', version);
  const mode = MODES.find((allowed) => allowed === first('mode'));
  if (mode === undefined) refuse('mode', first('mode'));
  const age = first('max_age');
  const isAge = age !== undefined && /^[0-9]{1,10}$/.test(age) && Number(age) <= MAX_AGE_SECONDS;
  if (!isAge) refuse('max_age', age);
  const patterns = fields.filter(({ key }) => key === 'mx').map(({ value }) => value.toLowerCase());
  const mx = patterns.filter(isPattern);
  for (const pattern of patterns) if (!isPattern(pattern)) refuse('mx', pattern);
  if (patterns.length === 0 && mode !== 'none') refuse('mx', undefined);
  return { mode: mode ?? '', max_age: isAge ? Number(age) : 0, mx, errors: errors.toArray() };
}

function isPattern(text: string): boolean {
  return text.length <= MAX_NAME_CHARACTERS && PATTERN.test(text);
}

const MODES = ['enforce', 'testing', 'none'] as const;

/** `*` stands for exactly one label, and only at the beginning. */
export function allowsHost(patterns: readonly string[], host: string): boolean {
  const parent = host.slice(host.indexOf('.'));
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? pattern.slice(1) === parent : pattern === host,
  );
}

function readFields(text: string): { key: string; value: string }[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(':');
    return colon < 0
      ? []
      : [{ key: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() }];
  });
}
