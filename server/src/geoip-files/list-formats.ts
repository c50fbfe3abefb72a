/**
 * A list of prefixes as firewalls read it. Version and credits are in comments, and change while
 * the prefixes do not.
 */
import type { Dataset } from '@whence/dataset/dataset';
import { nftablesText } from '../export/nftables.ts';
import { commentLines, creditedMeta, shortNotice } from '../export/notice.ts';

export const LIST_FORMATS = ['txt', 'nft', 'rsc', 'json'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

/** The table of the sets for nft. */
const NFT_TABLE = 'whence';

type Listed = {
  readonly name: string;
  readonly prefixes: Readonly<Record<4 | 6, readonly string[]>>;
  readonly dataset: Dataset;
};

export const RENDERED: Readonly<Record<ListFormat, (listed: Listed) => string>> = {
  txt: plainText,
  nft,
  rsc: routerOs,
  json,
};

/** One prefix per line, as OPNsense, pfSense, ipset scripts and most other programs read it. */
function plainText(listed: Listed): string {
  return `${comments(listed)}${lines(listed.prefixes[4])}${lines(listed.prefixes[6])}`;
}

/** For `nft -f`: the sets are replaced in one transaction. */
function nft(listed: Listed): string {
  const name = listed.name.replaceAll(/[^A-Za-z0-9]/g, '_').replace(/^(?=\d)/, 'list_');
  return nftablesText({ table: NFT_TABLE, name }, listed.prefixes, comments(listed));
}

/** For `/import` of RouterOS: replaces the address lists of this name. */
function routerOs(listed: Listed): string {
  const { name, prefixes } = listed;
  const menu = (path: string, entries: readonly string[]) =>
    `${path} firewall address-list remove [find list="${name}"]\n${path} firewall address-list\n` +
    lines(entries.map((prefix) => `add list="${name}" address=${prefix}`));
  return `${comments(listed)}${menu('/ip', prefixes[4])}${menu('/ipv6', prefixes[6])}`;
}

/** The envelope of an answer. The file is opened in less than a millisecond. */
function json({ name, prefixes, dataset }: Listed): string {
  const { version, built_at } = dataset.meta;
  const data = {
    name,
    dataset_version: version,
    built_at,
    valid_until: dataset.validUntil,
    prefix_count: { ipv4: prefixes[4].length, ipv6: prefixes[6].length },
    notice: shortNotice(creditedMeta({ dataset })),
    prefixes: { ipv4: prefixes[4], ipv6: prefixes[6] },
  };
  return JSON.stringify({ data, meta: { processing_time_ms: 0 } });
}

function comments({ name, prefixes, dataset }: Listed): string {
  const { version, built_at } = dataset.meta;
  const counts = `${prefixes[4].length} IPv4 and ${prefixes[6].length} IPv6 prefixes`;
  const validity = validityText(dataset).replace(/^./, '# $&');
  return `# ${name}: ${counts}, dataset version ${version}, built ${built_at}\n${validity}${commentLines(creditedMeta({ dataset }))}`;
}

/** Empty where no flag has a day from which on it does not count. */
export const validityText = ({ validUntil }: Dataset): string =>
  validUntil === undefined
    ? ''
    : `Its flags count until ${validUntil}; then the server writes it anew.\n`;

const lines = (texts: readonly string[]) => (texts.length === 0 ? '' : `${texts.join('\n')}\n`);
