// npm run docs: writes the reference pages from the tables in the code, after a build. With --check it writes nothing, and
// ends with 1 if a page differs from what it would write.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { builtInFeeds } from '../dataset/dist/feeds/catalogue.js';
import { COST_CLASSES } from '../server/dist/limits/cost-classes.js';
import { settings } from '../server/dist/settings/settings.js';
import { EXIT_CODES } from '../server/dist/terminal/exit.js';
import { COST_ROWS } from '../server/dist/test/http/cost-rows.js';
import { describedProgram } from '../server/dist/test/shell/described-program.js';

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
  'docs/feeds.md': withCatalogue(read('docs/feeds.md')),
};

const changed = Object.entries(pages).filter(([path, text]) => readIfAny(path) !== text);
if (process.argv.includes('--check')) {
  for (const [path] of changed) console.error(`${path} differs from the tables in the code: run npm run docs`);
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
    WHENCE_DATABASE_URL: 'self-hosting.md#several-machines',
    WHENCE_USAGE_DATABASE_URL: 'beyond-one-postgresql.md',
    WHENCE_STORAGE_GRACE: 'failures.md',
    WHENCE_DATASET_URL: 'self-hosting.md#replicas-from-a-static-host',
    WHENCE_UPDATE: 'self-hosting.md#keeping-the-data-fresh',
    WHENCE_SHUTDOWN_DELAY: 'self-hosting.md#stopping',
    WHENCE_FIRST_KEY: 'self-hosting.md#the-first-start',
    WHENCE_FEEDS: 'feeds.md',
    WHENCE_OVERRIDES: 'overrides.md',
    WHENCE_RULES: 'decide.md',
    WHENCE_DNS_LISTEN: 'dns.md',
    WHENCE_OIDC_ISSUER: 'dashboard.md',
    WHENCE_METRICS_PORT: 'self-hosting.md#monitoring',
  };
  const rows = Object.values(settings).map(({ variable, default: fallback = '', help }) => {
    const name = links[variable] === undefined ? `\`${variable}\`` : `[\`${variable}\`](${links[variable]})`;
    return `| ${name} | ${fallback === '' ? '' : `\`${fallback}\``} | ${cell(help)} |`;
  });
  return `${NOTE}# Settings

The server reads its settings from environment variables when it starts. An empty variable is an unset one. A wrong value ends the
start with exit code 2 and a sentence that names the variable. A \`WHENCE_\` variable that is no setting is logged with the closest
name. Passwords, queries and tokens in settings are masked in logs, messages and the dashboard.

| variable | default | meaning |
|---|---|---|
${rows.join('\n')}

- \`WHENCE_DNS_SERVERS\`: use resolvers that see only the public DNS; otherwise names of internal zones can appear in reports.
- \`WHENCE_TRUST_PROXY\`: name your own proxies only. A prefix wider than /8 (IPv6: /7) is refused, because any client could forge its address.
- \`WHENCE_CORS_ORIGINS\`: a key in a page can be read by every visitor of the page.
- \`WHENCE_PUBLIC_LOOKUPS\`: bursts of 30 from one address, then one per second.

Commands that ask a server read \`WHENCE_URL\` and \`WHENCE_KEY\`. Downloads use \`HTTPS_PROXY\`, \`HTTP_PROXY\`, \`ALL_PROXY\` and \`NO_PROXY\`.
`;
}

async function commandsPage() {
  const commands = leaves(await describedProgram());
  // An option that several commands share is described once.
  const users = new Map();
  for (const { path, command } of commands)
    for (const option of optionsOf(command)) {
      const key = keyOf(option);
      users.set(key, { option, paths: [...(users.get(key)?.paths ?? []), path.slice(1).join(' ')] });
    }
  const isShared = (option) => users.get(keyOf(option)).paths.length >= 5;
  const shared = [...users.values()].filter(({ option }) => isShared(option));
  const others = ({ paths }) =>
    commands.map(({ path }) => path.slice(1).join(' ')).filter((name) => !paths.includes(name));
  const where = (use) => {
    const without = others(use);
    return without.length < use.paths.length ? `all commands but ${without.join(', ')}` : use.paths.join(', ');
  };
  let fields = '';
  const sections = commands.map(({ path, command }) => {
    const rows = [
      ...command.registeredArguments
        .filter(({ description }) => description !== '')
        .map((argument) => [argument.name(), argument.description]),
      ...optionsOf(command)
        .filter((option) => !isShared(option))
        .map((option) => [option.flags, describe(option)]),
    ].map(([name, text]) => {
      // Commands that print records have the same fields.
      const [list = ''] = /\bip, prefix, asn.*$/.exec(text) ?? [];
      if (list === '' || list !== fields) {
        fields = list || fields;
        return [name, text];
      }
      return [name, text.replace(list, 'those of wh ip')];
    });
    const block = rows.length === 0 ? '' : `\n\`\`\`text\n${columns(rows)}\`\`\`\n`;
    const usage = [...path, command.usage().replace(/\[options\] ?/, '')].join(' ').trim();
    return `\n## ${usage.replaceAll('<', '\\<')}\n\n${sentence(command.description())}\n${block}`;
  });
  const page = `${NOTE}# Commands

\`wh COMMAND --help\` prints the same, with examples. ${EXIT_CODES.trim().replaceAll(/\s+/g, ' ')}

${shared.map((use, i) => `- \`${use.option.flags}\`: ${describe(use.option)}. In ${i > 0 && where(use) === where(shared[i - 1]) ? 'the same' : where(use)}.\n`).join('')}${sections.join('')}`;
  // Help texts name the program as it was called.
  return page.replaceAll('npx wh ', 'wh ');
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

function optionsOf(command) {
  return command.options.filter(({ long, hidden }) => long !== '--help' && !hidden);
}

function keyOf({ flags, description }) {
  return `${flags} ${description}`;
}

function columns(rows) {
  const width = Math.min(30, Math.max(...rows.map(([name]) => name.length)));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join('');
}

function describe({ description, argChoices, defaultValue }) {
  const choices = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`;
  const hasDefault = ['string', 'number'].includes(typeof defaultValue);
  return `${description}${choices}${hasDefault ? ` (default: ${defaultValue})` : ''}`;
}

function alertsPage() {
  const { groups } = parse(read('deploy/prometheus/whence-rules.yaml'));
  const sections = groups
    .flatMap(({ rules }) => rules)
    .map(({ alert, labels, annotations: { description, look, do: action } }) => {
      const severity = labels.severity === 'page' ? ' (page)' : '';
      return `\n## ${alert}\n\n${linked(description)}${severity}\n\n- Look: ${linked(look)}\n- Do: ${linked(action)}\n`;
    });
  return `${NOTE}# Alerts

[whence-rules.yaml](../deploy/prometheus/whence-rules.yaml) has these alerts for Prometheus; the Helm chart installs them with
\`prometheusRule.enabled=true\`. \`curl -s localhost:8080/readyz\` on the instance answers most questions. "(page)" marks alerts with
severity \`page\`: requests fail, or soon will.
${sections.join('')}`;
}

/** \`docs/feeds.md#x\` as a link from another page of the folder. */
function linked(text) {
  return text.trim().replaceAll(/\bdocs\/([a-z-]+\.md)(#[a-z-]+)?/g, '[$1]($1$2)');
}

function costsPage() {
  const queues = Object.entries(COST_CLASSES).flatMap(([name, limits]) => {
    if (limits === undefined) return [];
    const { slots, slotsPerKey, waitingPerKey, waitMs } = limits;
    return [`| ${name} | ${slots} | ${slotsPerKey} | ${waitingPerKey} | ${waitMs / 1000} s |`];
  });
  const rows = COST_ROWS.filter(({ route }) => !route.startsWith('page ')).map(
    ({ route, input, cost, ms, bytes }) =>
      `| \`${route}\` | ${input} | ${cost} | ${ms} | ${bytes.toLocaleString('en')} |`,
  );
  return `${NOTE}# What one request may cost

Every route declares a cost class. Classes that are not in this table are answered at once. Each other class has a queue that API keys
share fairly; a request that finds it full, or waits longer, gets a 503.

| class | at a time | of a key | waiting of a key | wait |
|---|---|---|---|---|
${queues.join('\n')}

The most expensive valid request of each route: milliseconds of processor time (then of a repetition) and bytes of the answer, with the
embedded dataset on ARM.

| route | input | class | ms | bytes |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

/** The table between the markers; the rest of the page is written by hand. */
function withCatalogue(page) {
  const [begin, end] = ['<!-- catalogue: written by npm run docs -->\n', '<!-- end of the catalogue -->\n'];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/feeds.md lacks the lines ${begin}${end}`);
  const feeds = builtInFeeds();
  const rows = new Map();
  for (const { id, drives, licence, refresh_hours, mode } of feeds) {
    const row = `| ${drives.join(', ')} | ${cell(licence)} | ${refresh_hours} h | ${mode} |`;
    rows.set(row, [...(rows.get(row) ?? []), `\`${id}\``]);
  }
  const lines = [...rows].map(([row, ids]) => `${row} ${ids.join(' ')} |`);
  const on = feeds.filter(({ mode }) => mode === 'on').length;
  return `${before}${begin}
${feeds.length} feeds, ${on} of them on.

| drives | licence | refresh | mode | feeds |
|---|---|---|---|---|
${lines.join('\n')}

${end}${after}`;
}

/** A text inside a table. */
function cell(text) {
  return text.replaceAll('|', '\\|');
}
