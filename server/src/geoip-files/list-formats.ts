/** A list of prefixes as firewalls read it. Version and credits are in comments, and change while the prefixes do not. */
import { createHash } from 'node:crypto';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { nftablesText } from '../export/nftables.ts';
import { commentLines, creditedMeta, shortNotice } from '../export/notice.ts';
import type { ListedPrefixes } from './address-list.ts';

export const LIST_FORMATS = ['txt', 'nft', 'rsc', 'json'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

/** The table of the sets for nft. */
const NFT_TABLE = 'whence';

type Listed = { readonly name: string; readonly prefixes: ListedPrefixes; readonly dataset: Dataset };

export type ListFile = {
  readonly type: string;
  /** Digest of the prefixes alone: the same for two versions of the dataset with the same prefixes. */
  readonly etag: string;
  /** For JSON: `data` of the answer. */
  readonly body: Buffer;
};

const FORMATS: Readonly<Record<ListFormat, { readonly type: string; readonly render: (listed: Listed) => string }>> = {
  txt: { type: 'text/plain; charset=utf-8', render: plainText },
  nft: { type: 'text/plain; charset=utf-8', render: nft },
  rsc: { type: 'text/plain; charset=utf-8', render: routerOs },
  json: { type: 'application/json; charset=utf-8', render: json },
};

export function renderList(listed: Listed, format: ListFormat): ListFile {
  const { type, render } = FORMATS[format];
  const hash = createHash('sha256');
  for (const version of [4, 6] as const) hash.update(listed.prefixes[version].join(' ')).update('\n');
  return { type, etag: `W/"${hash.digest('base64url').slice(0, 22)}"`, body: Buffer.from(render(listed)) };
}

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

function json({ name, prefixes, dataset }: Listed): string {
  const { version, built_at } = dataset.meta;
  return JSON.stringify({
    name,
    dataset_version: version,
    built_at,
    prefix_count: { ipv4: prefixes[4].length, ipv6: prefixes[6].length },
    notice: shortNotice(creditedMeta({ dataset })),
    prefixes: { ipv4: prefixes[4], ipv6: prefixes[6] },
  });
}

function comments({ name, prefixes, dataset }: Listed): string {
  const { version, built_at } = dataset.meta;
  const counts = `${prefixes[4].length} IPv4 and ${prefixes[6].length} IPv6 prefixes`;
  return `# ${name}: ${counts}, dataset version ${version}, built ${built_at}\n${commentLines(creditedMeta({ dataset }))}`;
}

const lines = (texts: readonly string[]) => (texts.length === 0 ? '' : `${texts.join('\n')}\n`);
