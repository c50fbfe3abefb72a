// npm run docs: writes the reference pages from the tables in the code, after a build. With --check
// it writes nothing, and ends with 1 if a page differs from what it would write.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { builtInFeeds } from '../dataset/dist/feeds/catalogue.js';
import { COST_CLASSES } from '../server/dist/limits/cost-classes.js';
import { settings } from '../server/dist/settings/settings.js';
import { EXIT_CODES } from '../server/dist/terminal/exit.js';
import { COST_ROWS } from '../server/dist/test/http/cost-rows.js';
import { EXPENSIVE_REPORTS } from '../server/dist/test/http/expensive-reports.js';
import { describedProgram } from '../server/dist/test/shell/described-program.js';
import {
  DEFAULT_PERMISSIONS,
  FIRST_KEY_PERMISSIONS,
  PERMISSIONS,
} from '../server/dist/vocabulary.js';

const root = join(import.meta.dirname, '..');
const requireOfServer = createRequire(join(root, 'server/package.json'));
const { parse } = requireOfServer('yaml');
const read = (path) => readFileSync(join(root, path), 'utf8');
const NOTE = '<!-- Written by npm run docs. Change the table in the code instead. -->\n';

const pages = {
  'docs/settings.md': settingsPage(),
  'docs/commands.md': await commandsPage(),
  'docs/alerts.md': alertsPage(),
  'docs/costs.md': costsPage(),
  'docs/cli.md': withExitCodes(read('docs/cli.md')),
  'docs/feeds.md': withCatalogue(read('docs/feeds.md')),
  'docs/api.md': withPermissions(read('docs/api.md')),
};

const changed = Object.entries(pages).filter(([path, text]) => readIfAny(path) !== text);
if (process.argv.includes('--check')) {
  for (const [path] of changed)
    console.error(`${path} differs from the tables in the code: run npm run docs`);
  process.exitCode = changed.length > 0 ? 1 : 0;
} else {
  for (const [path, text] of changed) {
    writeFileSync(join(root, path), text);
    console.log(`wrote ${path}`);
  }
}

function readIfAny(path) {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

function settingsPage() {
  /** Pages that say more about a setting. */
  const links = {
    WHENCE_DATABASE_URL: 'several-machines.md',
    WHENCE_STORAGE_GRACE: 'failures.md',
    WHENCE_DATASET_URL: 'several-machines.md#replicas-from-a-static-host',
    WHENCE_UPDATE: 'self-hosting.md#keeping-the-data-fresh',
    WHENCE_SHUTDOWN_DELAY: 'self-hosting.md#stopping',
    WHENCE_FIRST_KEY: 'self-hosting.md#the-first-start',
    WHENCE_FEEDS: 'feeds.md',
    WHENCE_OVERRIDES: 'overrides.md',
    WHENCE_LOCATION_DB: 'address.md#location',
    WHENCE_RULES: 'decide.md',
    WHENCE_DNS_LISTEN: 'dns.md',
    WHENCE_OIDC_ISSUER: 'dashboard.md',
    WHENCE_METRICS_PORT: 'self-hosting.md#monitoring',
  };
  const rows = Object.values(settings).map(({ variable, default: fallback = '', help }) => {
    const name =
      links[variable] === undefined ? `\`${variable}\`` : `[\`${variable}\`](${links[variable]})`;
    return `| ${name} | ${fallback === '' ? '' : `\`${fallback}\``} | ${cell(help)} |`;
  });
  return `${NOTE}# Settings

The server reads its settings from environment variables when it starts. An empty variable is an unset one. A wrong value ends the
start with exit code 2 and a sentence that names the variable. Passwords, queries and tokens in settings are masked in logs,
messages and the dashboard.

| variable | default | meaning |
|---|---|---|
${rows.join('\n')}

- \`WHENCE_DNS_SERVERS\`: use resolvers that see only the public DNS; otherwise names of internal zones can appear in reports.
- \`WHENCE_TRUST_PROXY\`: name your own proxies only. A prefix wider than /8 (IPv6: /7) is refused, because any client could forge its address.
- \`WHENCE_CORS_ORIGINS\`: a key in a page can be read by every visitor of the page.

Commands with \`--url\` read \`WHENCE_URL\` and \`WHENCE_KEY\`. Downloads use \`HTTPS_PROXY\`, \`HTTP_PROXY\`, \`ALL_PROXY\` and \`NO_PROXY\`.
`;
}

async function commandsPage() {
  const rows = leaves(await describedProgram()).map(({ path, command }) => {
    const usage = [...path, command.usage().replace(/\[(options|command)\] ?/g, '')]
      .join(' ')
      .trim();
    return `- \`${usage}\`: ${sentence(command.description())}`;
  });
  // Help texts name the program as it was called.
  return `${NOTE}# Commands

\`wh COMMAND --help\` lists the options of a command, with examples. [cli.md](cli.md) describes what all commands have in common.

${rows.join('\n')}
`.replaceAll('npx wh ', 'wh ');
}

function sentence(text) {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** Commands that can be run: groups have only subcommands. */
function leaves(command, path = ['wh']) {
  const own = command.registeredArguments.length > 0 || command.commands.length === 0;
  const below = command.commands.flatMap((sub) => leaves(sub, [...path, sub.name()]));
  return own ? [{ path, command }, ...below] : below;
}

function alertsPage() {
  const { groups } = parse(read('deploy/prometheus/whence-rules.yaml'));
  const sections = groups
    .flatMap(({ rules }) => rules)
    .map(
      ({ alert, annotations: { look, do: action } }) =>
        `\n## ${alert}\n\n- Look: ${linked(look)}\n- Do: ${linked(action)}\n`,
    );
  return `${NOTE}# Alerts

[whence-rules.yaml](../deploy/prometheus/whence-rules.yaml) has these alerts for Prometheus; the Helm chart installs them with
\`prometheusRule.enabled=true\`. Severity \`page\`: requests fail, or soon will. \`curl -s localhost:8080/readyz\` on the instance
answers most questions.
${sections.join('')}`;
}

/** \`docs/feeds.md#x\` as a link from another page of the folder. */
function linked(text) {
  return text.trim().replaceAll(/\bdocs\/([a-z-]+\.md)(#[a-z-]+)?/g, '[$1]($1$2)');
}

function costsPage() {
  const queues = Object.entries(COST_CLASSES).flatMap(([name, limits]) => {
    if (limits === undefined) return [];
    const { slots, slotsPerKey, waitingPerKey, waitMs, deadlineMs } = limits;
    const seconds = `${waitMs / 1000} s | ${deadlineMs / 1000} s`;
    return [`| ${name} | ${slots} | ${slotsPerKey} | ${waitingPerKey} | ${seconds} |`];
  });
  const rows = COST_ROWS.filter(({ route }) => !route.startsWith('page ')).map(
    ({ route, input, cost, ms, bytes }) =>
      `| \`${route}\` | ${input} | ${cost} | ${ms} | ${bytes.toLocaleString('en')} |`,
  );
  return `${NOTE}# What one request may cost

Every route declares a cost class. Classes that are not in this table are answered at once. Each other class has a queue that API keys
share fairly; a request that finds it full, or waits longer, gets a 503. So does one that comes while new connections wait longer than
500 ms to be accepted (\`whence_accept_wait_seconds\`). While there is other work, turns, searches and scans have half of the processor time.

A request has one deadline, the latest of its route's classes. It begins when the body has been read; waiting in queues and all work are
parts of it. Past it the work is ended, and the request gets a 503. The status of a file is sent before it; reading the file may take longer.

| class | at a time | of a key | waiting of a key | wait | deadline |
|---|---|---|---|---|---|
${queues.join('\n')}

The most expensive valid request of each route: milliseconds of processor time (then of a repetition) and bytes of the answer, with the
embedded dataset on ARM.

| route | input | class | ms | bytes |
|---|---|---|---|---|
${rows.join('\n')}

Reports are read, stored and judged in threads: seconds of processor time of all of them. A judgement that was not changed since is kept.

| \`/v1/email/reports\`, \`/v1/email/domain/:domain/senders\` | import | judgement |
|---|---|---|
${EXPENSIVE_REPORTS.map(({ what, seconds }) => `| ${what} | ${seconds.join(' | ')} |`).join('\n')}
`;
}

function withExitCodes(page) {
  const table = /(?<=^\| exit code \| meaning \|\n\|---\|---\|\n)(?:\|.*\n)*/m;
  if (!table.test(page)) throw new Error('docs/cli.md lacks the table of exit codes');
  const rows = Object.entries(EXIT_CODES).map(([code, meaning]) => `| ${code} | ${meaning} |\n`);
  return page.replace(table, rows.join(''));
}

/** The row of permissions in the table of the attributes of a key. */
function withPermissions(page) {
  const row = /^\| permissions \|.*$/m;
  if (!row.test(page)) throw new Error('docs/api.md lacks the row of permissions');
  const list = (permissions) => permissions.map((permission) => `\`${permission}\``).join(', ');
  const missing = PERMISSIONS.filter((permission) => !FIRST_KEY_PERMISSIONS.includes(permission));
  return page.replace(
    row,
    `| permissions | ${list(DEFAULT_PERMISSIONS)}; the first key: all but ${list(missing)} | ${list(PERMISSIONS)}; others: 403 |`,
  );
}

/** The table between the markers; the rest of the page is written by hand. */
function withCatalogue(page) {
  const begin = '<!-- catalogue: written by npm run docs -->\n';
  const end = '<!-- end of the catalogue -->\n';
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/feeds.md lacks the lines ${begin}${end}`);
  const feeds = builtInFeeds();
  const isOn = ({ mode }) => mode === 'on';
  return `${before}${begin}
${feeds.length} feeds, ${feeds.filter(isOn).length} of them on:

${feedTable(feeds.filter(isOn))}
Off until you enable them:

${feedTable(feeds.filter((feed) => !isOn(feed)))}
${end}${after}`;
}

/** Feeds that drive the same fields under the same licence share a row. */
function feedTable(feeds) {
  const rows = new Map();
  for (const { id, drives, licence } of feeds) {
    const row = `| ${[...drives].sort().join(', ')} | ${cell(licence)} |`;
    rows.set(row, [...(rows.get(row) ?? []), `\`${id}\``]);
  }
  const lines = [...rows].map(([row, ids]) => `${row} ${ids.join(' ')} |\n`);
  return `| drives | licence | feeds |\n|---|---|---|\n${lines.join('')}`;
}

/** A text inside a table. */
function cell(text) {
  return text.replaceAll('|', '\\|');
}
