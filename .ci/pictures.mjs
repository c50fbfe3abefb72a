// node .ci/pictures.mjs: the pictures of the README. docs/pictures/terminal.svg shows what the
// command prints, from the embedded dataset or that of WHENCE_DATA_DIR; the others are pages of the
// dashboard in Chromium, which server/src/test/browser/pictures.ts opens. --check: writes nothing,
// and fails if the terminal shows something else than the command prints.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'server/bin/whence.js');
const folder = join(root, 'docs/pictures');
const path = join(folder, 'terminal.svg');
/** Answers that do not depend on the day: what decides them has no maximum age. */
const COMMANDS = [['45.10.157.1'], ['asn', 'search', 'telefonica', '--limit', '3']];

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
const environment = {
  ...process.env,
  WHENCE_DATA_DIR: process.env.WHENCE_DATA_DIR ?? join(temporary, 'data'),
};
try {
  if (process.env.WHENCE_DATA_DIR === undefined) wh(['dataset', 'build']);
  const picture = terminalPicture();
  if (!process.argv.includes('--check')) {
    writeFileSync(path, picture);
    takePictures();
  } else if (readFileSync(path, 'utf8') !== picture) fail(picture);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

function fail(picture) {
  const text = picture.replaceAll(/<\/text>/g, '\n').replaceAll(/<[^>]*>\n?/g, '');
  process.stderr.write(
    `docs/pictures/terminal.svg is not what the command prints; run: node .ci/pictures.mjs\n${text}`,
  );
  process.exitCode = 1;
}

function takePictures() {
  const scripts = ['.ci/build.mjs', '.ci/transpile.mjs', 'server/dist/test/browser/pictures.js'];
  for (const script of scripts) {
    const { status } = spawnSync(process.execPath, [join(root, script), folder], {
      stdio: ['ignore', 2, 2],
    });
    if (status !== 0) throw new Error(`${script} failed`);
  }
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
  const letterPx = 8.4;
  const linePx = 20;
  const marginPx = 18;
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
