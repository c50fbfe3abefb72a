/**
 * `npm run quality`: how right the answers are, as the tables of docs/quality.md, which it writes.
 * It measures the embedded default and, where the real feed files are, a dataset that has them too.
 * Arguments are CSV files of further labels (label-rows.ts), whose wrong answers are printed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fixtureFeeds } from '@whence/testing/fixtures';
import { compile } from '../../compile/compile.ts';
import { readEmbedded } from '../../compile/embedded.ts';
import type { CompileInput } from '../../compile/input/compile-input.ts';
import { liveInput } from '../../compile/live.ts';
import { FeedCache } from '../../feeds/feed-cache.ts';
import { type IngestedFeed, ingestFeeds } from '../../feeds/ingest.ts';
import { parseCatalogue } from '../../feeds/read-catalogue.ts';
import { Dataset } from '../../file/read.ts';
import { encodeContent, encodeDataset } from '../../file/write.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { fileContent } from '../../io/content.ts';
import { countrySampleRows } from './country-sample.ts';
import { heldOutAddressRows } from './held-out-addresses.ts';
import { heldOutNetworkRows } from './held-out-networks.ts';
import { checkLabels } from './label-file.ts';
import { parseLabels } from './label-rows.ts';
import type { QualityRow } from './quality-row.ts';
import { threatLevelTable } from './threat-levels.ts';

const PAGE = join(import.meta.dirname, '../../../../docs/quality.md');
const BEGIN = '<!-- tables of npm run quality -->';
const END = '<!-- end of the tables -->';
const MAX_INTERVAL = 0.4;
const MAX_NAMES = 4;
const LEVELS_NOTE = `Share of the first addresses of each list's IPv4 rows per level, in percent: low · medium · high · critical. The stored
copies are of 2026-08-22 (Tor: 2024-02-27, DROP: 2025-04-15), ages ignored. Of ipsum only half of the rows is there, chosen by hash, and
et-compromised and greensnow are missing, so addresses that only these have count as low: the full default catalogue could not be measured. Addresses
that no network announces have no score and are left out. Homes and phones on one list stay at 24 points. A low level here is that of the API; people read "not known" where the lists are not current.`;

await main(process.argv.slice(2));

async function main(labelFiles: readonly string[]): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const require = createRequire(import.meta.url);
  const embedded = readEmbedded((name) => dirname(require.resolve(`${name}/package.json`)));
  const tables = [
    `### Embedded default, ${today}\n\n${tableOf(measure({ ...embedded, day: today }, labelFiles))}`,
  ];
  const lists = await storedLists();
  // Without a day, no list is too old: the copies are from several years.
  if (lists.length > 0)
    tables.push(
      `### With stored copies of ${lists.length} lists, ages ignored, ${today}\n\n` +
        tableOf(measure(liveInput(embedded, lists), labelFiles)),
      `### Threat levels of listed addresses, ${today}\n\n${LEVELS_NOTE}\n\n` +
        threatLevelTable(lists, (some) => datasetOf(liveInput(embedded, some))),
    );
  writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), tables.join('\n')));
}

function measure(input: CompileInput, labelFiles: readonly string[]): QualityRow[] {
  const dataset = datasetOf(input);
  return [
    ...countrySampleRows(input, dataset),
    ...heldOutNetworkRows(input, dataset),
    ...heldOutAddressRows(input),
    ...labelFiles.flatMap((path) => labelFileRows(dataset, path)),
  ];
}

function datasetOf(input: CompileInput): Dataset {
  return new Dataset(encodeDataset(encodeContent(compile(input)), 1, new Date()));
}

function labelFileRows(dataset: Dataset, path: string): readonly QualityRow[] {
  const name = basename(path);
  const labels = parseLabels(fileContent(path).lines());
  const { rows, wrong, unanswered } = checkLabels(dataset, labels.rows, name);
  for (const { line, reason } of labels.bad) console.log(`${name}:${line}: skipped: ${reason}`);
  for (const text of wrong) console.log(`${name}: ${text}`);
  if (unanswered > 0) console.log(`${name}: ${unanswered} labels without a record`);
  return rows;
}

/** The real feed files that no test commits, parsed as an update would. */
async function storedLists(): Promise<readonly IngestedFeed[]> {
  const catalogue = fixtureFeeds();
  if (catalogue === undefined) return [];
  const dataDir = mkdtempSync(join(tmpdir(), 'whence-quality-'));
  try {
    const options = {
      now: () => new Date(),
      sleep,
      isForced: true,
      accepted: new Set<string>(),
      network: {},
    };
    const feeds = parseCatalogue(JSON.stringify(catalogue));
    const { ingested, refused } = await ingestFeeds(feeds, new FeedCache(dataDir), options);
    for (const { id, reason } of refused) console.log(`${id}: ${reason}`);
    return ingested;
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

/** A row for each field and its labels. Figures that say little are left out. */
function tableOf(rows: readonly QualityRow[]): string {
  const figures = new Map<string, string[]>();
  for (const {
    field,
    measure: name,
    value,
    interval: [low, high],
    n,
    unit,
    labels,
  } of rows) {
    if (high - low > MAX_INTERVAL) continue;
    const figure = `${name} ${percent(value)} (${percent(low)} to ${percent(high)}) of ${n.toLocaleString('en-US')}`;
    getOrInsert(figures, `| \`${field}\` | ${unit}: ${namesIn(labels)} |`, () => []).push(figure);
  }
  const lines = [...figures].map(([head, list]) => `${head} ${list.join('; ')} |\n`);
  return `| field | labels | share in percent (95% interval) of labels |\n|---|---|---|\n${lines.join('')}`;
}

/** Many lists label the same. */
function namesIn(labels: string): string {
  const names = labels.split(', ');
  return names.length > MAX_NAMES ? `${names.length} lists, such as ${names[0]}` : labels;
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}

function withTables(page: string, tables: string): string {
  const start = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (start < 0 || end < start)
    throw new Error(`docs/quality.md lacks the lines ${BEGIN} and ${END}`);
  return `${page.slice(0, start)}${BEGIN}\n\n${tables}\n${page.slice(end)}`;
}
