import { scannerNames } from '../../../data-files/data-files.ts';
import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfComment, dayOfSeconds, dayOfText } from '../feed-day.ts';
import { jsonLine, member, textMember } from '../json-value.ts';
import { PrefixListBuilder, withoutComment } from '../prefix-list.ts';

/**
 * Adds what a line says to the list. Returns the date of the list if the line has it; the first
 * date counts.
 */
type ReadLine = (line: string, list: PrefixListBuilder) => string | undefined;

const lineFormat =
  (readLine: ReadLine) =>
  (content: Content): PrefixList => {
    const list = new PrefixListBuilder();
    let asOf: string | undefined;
    for (const line of content.lines()) {
      const day = readLine(line, list);
      asOf ??= day;
    }
    return list.finish(asOf);
  };

/**
 * An address or a prefix per line, whatever the name of the format says: lists of one contain the
 * other.
 */
export const parseCidrLines = lineFormat((line, list) => {
  const text = withoutComment(line);
  if (text === '') return dayOfComment(line);
  list.add(text);
  return undefined;
});

/**
 * DShield's `block.txt`: first and last address of a /24, length, attacks; by tabs, after a header.
 */
export const parseDshieldBlock = lineFormat((line, list) => {
  if (line.trim() !== '' && !line.startsWith('#') && !/^start\t/i.test(line)) {
    const [first = '', last = ''] = line.split('\t');
    list.addRange(first, last);
  }
  return dayOfComment(line);
});

/**
 * ipsum: an address, a tab and its number of blocklists, the label; files under `levels/` have no
 * count.
 */
export const parseIpCount = lineFormat((line, list) => {
  const text = withoutComment(line);
  if (text === '') return /^#\s*Last update\s*:/i.test(line) ? dayOfText(line) : undefined;
  const [address = '', count = '', ...rest] = text.split(/\s+/);
  if (rest.length > 0 || !/^[0-9]{0,6}$/.test(count)) list.skip();
  else list.add(address, count === '' ? '' : String(Number(count)));
  return undefined;
});

/**
 * Lists of open proxies: `192.0.2.1:8080`, `[2001:db8::1]:8080`, or a single address. The port is
 * dropped.
 */
export const parseIpPort = lineFormat((line, list) => {
  const text = withoutComment(line);
  if (text !== '') list.add(withoutPort(text));
  return undefined;
});

/**
 * Returns other texts unchanged. One colon separates a port; more colons are an IPv6 address
 * without a port.
 */
export function withoutPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::[0-9]{1,5})?$/.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}

/**
 * Maltrail's mass scanners: an address, `#`, its reverse name. Only of operators in
 * `scanner-names.csv`.
 */
export const parseNamedScanners = lineFormat((line, list) => {
  const text = withoutComment(line);
  const mark = line.indexOf('#');
  const operator = text === '' || mark < 0 ? undefined : operatorOf(line.slice(mark + 1));
  if (operator !== undefined) list.add(text, operator);
  return undefined;
});

/** `census1.shodan.io` ends with `shodan.io`; `notshodan.io` does not. */
function operatorOf(name: string): string | undefined {
  const words = `.${name.trim().toLowerCase().replace(/\.$/, '')}`;
  return scannerNames.rows.find(({ ending }) => words.endsWith(`.${ending.toLowerCase()}`))
    ?.operator;
}

/**
 * Spamhaus DROP: `{"cidr":"192.0.2.0/24","sblid":"SBL1","rir":"arin"}` per line, `sblid` the label;
 * then metadata.
 */
export const parseNdjsonDrop = lineFormat((line, list) => {
  if (line.trim() === '') return undefined;
  const row = jsonLine(line);
  if (textMember(row, 'type') === 'metadata') return dayOfSeconds(member(row, 'timestamp'));
  list.add(textMember(row, 'cidr'), textMember(row, 'sblid'));
  return undefined;
});

/**
 * FireHOL's lists. The date of the source is preferred: FireHOL rewrites files that have not
 * changed.
 */
export function parseNetset(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  let sourceDay: string | undefined;
  let fileDay: string | undefined;
  for (const line of content.lines()) {
    if (/^#\s*Source File Date\s*:/.test(line)) sourceDay ??= dayOfText(line);
    if (/^#\s*This File Date\s*:/.test(line)) fileDay ??= dayOfText(line);
    const text = withoutComment(line);
    if (text !== '') list.add(text);
  }
  return list.finish(sourceDay ?? fileDay);
}

/**
 * Tor's `exit-addresses`: `ExitAddress 192.0.2.1 2024-02-27 01:02:03` among other lines. The newest
 * date counts.
 */
export function parseTorExitAddresses(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  let asOf: string | undefined;
  for (const line of content.lines()) {
    const [word, address = '', day = ''] = line.trim().split(/\s+/);
    if (word === 'ExitAddress') {
      if (!list.add(address)) continue;
      const seen = dayOfText(day);
      if (seen !== undefined && (asOf === undefined || seen > asOf)) asOf = seen;
    } else if (word !== '' && word !== 'ExitNode' && word !== 'Published' && word !== 'LastStatus')
      list.skip();
  }
  return list.finish(asOf);
}
