// node .ci/pictures.mjs: the pictures of the README, in docs/pictures. terminal.svg is the output of the command,
// dashboard.png a page of a running server in Chromium. Both answer from the embedded dataset, or from that of
// WHENCE_DATA_DIR. Run it after npm run build.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const { chromium } = createRequire(join(root, 'server/package.json'))('playwright-core');
const bin = join(root, 'server/dist/bin.js');
const target = join(root, 'docs/pictures');
/** A Tor exit: an address about which most of the page has something to say. */
const ADDRESS = '185.220.101.1';
const COMMANDS = [
  ['ip', ADDRESS],
  ['asn', 'search', 'telefonica', '--limit', '3'],
];
const MAX_PNG_BYTES = 150_000;

/** Escape sequences of colours and styles (ECMA-48 §8.3.117). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with ESC
const STYLE = /\u001B\[([\d;]*)m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const BEFORE_STYLE = /(?=\u001B\[)/;
const ATTRIBUTES = {
  1: 'font-weight="bold"',
  2: 'fill="#8b93a1"',
  31: 'fill="#ff7b72"',
  32: 'fill="#7ee787"',
  33: 'fill="#e3b341"',
  34: 'fill="#79c0ff"',
  35: 'fill="#d2a8ff"',
  36: 'fill="#76e3ea"',
  90: 'fill="#8b93a1"',
};

const temporary = mkdtempSync(join(tmpdir(), 'whence-pictures-'));
const environment = { ...process.env, WHENCE_DATA_DIR: process.env.WHENCE_DATA_DIR ?? join(temporary, 'data') };
try {
  if (process.env.WHENCE_DATA_DIR === undefined) wh(['dataset', 'build']);
  writeFileSync(join(target, 'terminal.svg'), terminalPicture());
  await dashboardPicture(join(target, 'dashboard.png'));
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

function wh(argv) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...argv], {
    encoding: 'utf8',
    env: { ...environment, FORCE_COLOR: '1' },
  });
  if (status !== 0) throw new Error(`wh ${argv.join(' ')}\n${stderr}`);
  return stdout;
}

function terminalPicture() {
  const lines = COMMANDS.flatMap((argv) => [
    `\u001B[2m$\u001B[0m \u001B[1mwh ${argv.join(' ')}\u001B[0m`,
    ...wh(argv).trimEnd().split('\n'),
    '',
  ]).slice(0, -1);
  const [letterPx, linePx, marginPx] = [8.4, 20, 18];
  const columns = Math.max(...lines.map((line) => line.replaceAll(STYLE, '').length));
  const width = Math.ceil(columns * letterPx + 2 * marginPx);
  const height = lines.length * linePx + 2 * marginPx;
  const rows = lines.map((line, i) => {
    const y = marginPx + (i + 0.75) * linePx;
    return `<text x="${marginPx}" y="${y}" xml:space="preserve">${spans(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="wh in a terminal">
<rect width="100%" height="100%" rx="8" fill="#16181d"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#d7dae0">
${rows.join('\n')}
</g>
</svg>
`;
}

function spans(line) {
  let attributes = [];
  return line
    .split(BEFORE_STYLE)
    .map((piece) => {
      for (const [, codes] of piece.matchAll(STYLE))
        for (const code of codes.split(';'))
          attributes = ATTRIBUTES[code] === undefined ? [] : [...attributes, ATTRIBUTES[code]];
      const text = piece.replaceAll(STYLE, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      return text === '' ? '' : `<tspan ${[...new Set(attributes)].join(' ')}>${text}</tspan>`;
    })
    .join('')
    .replaceAll('<tspan >', '<tspan>');
}

/** Lookups without an account show the same page as with one. */
async function dashboardPicture(path) {
  const server = spawn(process.execPath, [bin, 'serve'], {
    env: {
      ...environment,
      WHENCE_PORT: '0',
      WHENCE_FIRST_KEY: 'off',
      WHENCE_PUBLIC_LOOKUPS: 'on',
      WHENCE_LOG_LEVEL: 'fatal',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const url = await addressOf(server);
    const page = await browser.newPage({ viewport: { width: 1200, height: 760 }, colorScheme: 'light' });
    await page.goto(`${url}/ip/${ADDRESS}`);
    await page.getByRole('heading', { name: ADDRESS }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path, animations: 'disabled' });
  } finally {
    await browser.close();
    server.kill();
  }
  const { size } = statSync(path);
  if (size > MAX_PNG_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MAX_PNG_BYTES}`);
}

async function addressOf(server) {
  let output = '';
  for await (const piece of server.stdout) {
    output += piece;
    const [, url] = /listens on (http:\S+)/.exec(output) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`the server ended: ${output}`);
}
