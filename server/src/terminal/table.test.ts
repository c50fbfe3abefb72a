import assert from 'node:assert/strict';
import test from 'node:test';
import { fit, PLAIN, styleOf } from './style.ts';
import { type Cell, formatDetails, formatTable } from './table.ts';

for (const [behaviour, rows, want] of [
  [
    'columns are as wide as their widest cell',
    [
      ['a', 'long cell', 'x'],
      ['bbb', 'c'],
    ],
    'a    long cell  x\nbbb  c\n',
  ],
  [
    'cells are printable, and aligned as they are printed',
    [
      ['\x1b[1mname', 'x'],
      ['two\nlines', 'y'],
    ],
    '\\x1b[1mname  x\ntwo\\nlines   y\n',
  ],
  ['no rows', [], ''],
] as const)
  test(`table: ${behaviour}`, () => assert.equal(formatTable(rows, PLAIN), want));

for (const [behaviour, width, want] of [
  ['a row that fits stays on its line', 33, '2hv6gk4a  shop front  pro  active\nb         cd\n'],
  ['a wide row continues below', 30, '2hv6gk4a  shop front  pro\n    active\nb         cd\n'],
  [
    'columns on the second line are aligned too',
    20,
    '2hv6gk4a  shop front\n    pro  active\nb         cd\n',
  ],
] as const)
  test(`table: ${behaviour}`, () => {
    const rows = [
      ['2hv6gk4a', 'shop front', 'pro', 'active'],
      ['b', 'cd'],
    ];
    assert.equal(formatTable(rows, { ...PLAIN, width }), want);
  });

test('table: a long last column continues below itself where it has room', () => {
  const rows = [
    ['AS15169', 'US', 'a name that is rather long'],
    ['AS1', 'DE', 'short'],
  ];
  const table = formatTable(rows, { ...PLAIN, width: 32 });
  assert.equal(
    table,
    'AS15169  US  a name that is\n             rather long\nAS1      DE  short\n',
  );
});

test('table: the titles of columns take several lines where the table does not fit', () => {
  const rows = [['IPv4', '100.0%', '97.9%']];
  const head = ['', 'exact registry', 'connection type'];
  assert.equal(
    formatTable(rows, { ...PLAIN, width: 26 }, { head }),
    '      exact     connection\n      registry  type\nIPv4  100.0%    97.9%\n',
  );
  assert.equal(
    formatTable(rows, PLAIN, { head }),
    '      exact registry  connection type\nIPv4  100.0%          97.9%\n',
  );
});

for (const [behaviour, width, want] of [
  ['wide', 80, '{id}   {state}    {note}\nab   <active>   x\nabc  [revoked]  two words\n'],
  [
    'narrow',
    16,
    '{id}   {state}\n    {note}\nab   <active>\n    x\nabc  [revoked]\n    two words\n',
  ],
] as const)
  test(`table: titles and states are painted, and painting does not move a column: ${behaviour}`, () => {
    const mark = (before: string, after: string) => (text: string) => `${before}${text}${after}`;
    const style = {
      ...PLAIN,
      width,
      dim: mark('{', '}'),
      green: mark('<', '>'),
      red: mark('[', ']'),
    };
    const rows: Cell[][] = [
      ['ab', ['active', style.green], 'x'],
      ['abc', ['revoked', style.red], 'two words'],
    ];
    assert.equal(formatTable(rows, style, { head: ['id', 'state', 'note'] }), want);
  });

test('table: a painted cell is printable', () => {
  assert.equal(formatTable([[['\x1b[2J', (text) => `<${text}>`]]], PLAIN), '<\\x1b[2J>\n');
});

test('table: shrink cuts the widest columns', () => {
  const rows = [
    ['AS15169', 'a name that is rather long', 'and a note of its own'],
    ['AS1', 'short', ''],
  ];
  const table = formatTable(rows, { ...PLAIN, width: 40 }, { indent: 2, shrink: true });
  assert.equal(table, '  AS15169  a name that …  and a note of…\n  AS1      short\n');
  for (const line of table.split('\n')) assert.ok(line.length <= 40);
});

test('table: a terminal has a width, a pipe has none; colour does not depend on the width', () => {
  const write = () => {};
  for (const [stdout, environment, width, isColoured] of [
    [{ write, isTTY: true, columns: 100 }, {}, 100, true],
    [{ write, isTTY: true, columns: 0 }, {}, 80, true],
    [{ write, isTTY: true, columns: 80 }, { NO_COLOR: '1' }, 80, false],
    [{ write }, {}, Number.POSITIVE_INFINITY, false],
    [{ write }, { FORCE_COLOR: '1' }, Number.POSITIVE_INFINITY, true],
  ] as const) {
    const style = fit({ stdout, environment });
    assert.deepEqual([style.width, style.red('x') !== 'x'], [width, isColoured]);
  }
});

test('details: labels are aligned, and a long value continues below itself', () => {
  const style = { ...styleOf({ write: () => {} }, {}), width: 30 };
  assert.equal(
    formatDetails(
      [
        ['name', 'one two three four five six'],
        ['registry', 'ARIN'],
      ],
      style,
    ),
    '  name      one two three four\n            five six\n  registry  ARIN\n',
  );
});
