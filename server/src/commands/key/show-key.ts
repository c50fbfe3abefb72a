/**
 * `wh key show|find|usage`: one key with all its attributes, the key of a secret, and the requests
 * of a key by day.
 */
import { dayAt, dayBefore, dayOfMs } from '../../day.ts';
import { STANDARD_INPUT, textLines } from '../../enrich/input.ts';
import { describeKey, type Key } from '../../keys/key.ts';
import { ATTRIBUTES, textOf } from '../../keys/key-attributes.ts';
import { type KeyRefusal, refusalsOf } from '../../keys/key-refusals.ts';
import { findSecret } from '../../keys/secret-form.ts';
import type { Storage } from '../../storage/storage.ts';
import { type ExitCode, InputError, UsageError } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { fit, print, type Style, type Terminal } from '../../terminal/style.ts';
import { type Cell, formatCount, formatTable } from '../../terminal/table.ts';
import type { RefusalReason } from '../../vocabulary.ts';
import { limitOf, stateCell } from './key.ts';
import { findKey, withKeys } from './open-keys.ts';

export async function keyShow(
  location: string,
  name: string,
  options: { json?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  return withKeys(location, async (keys, storage) => {
    const key = await findKey(keys, storage, name);
    const now = new Date();
    const style = fit(terminal);
    const refusals = await refusalsOf(storage.keys, key.id, storage.nowMs() ?? now.getTime());
    const facts = await factsOf(key, storage, now, style);
    const text = () => formatTable([...facts, ...refusalRows(refusals, style)], style);
    return print(terminal, options, { ...describeKey(key), refusals }, text);
  });
}

async function factsOf(key: Key, storage: Storage, now: Date, style: Style): Promise<Cell[][]> {
  const { text: today } = dayAt(storage.nowMs() ?? now.getTime());
  const requests = (await storage.usage.rows({ from: today, to: today, keyIds: [key.id] })).reduce(
    (sum, row) => sum + row.requests,
    0,
  );
  const [successor] = await storage.keys.successorsOf([key.id]);
  const used = key.lastUsedFrom === undefined ? '' : ` from ${key.lastUsedFrom}`;
  const refused = key.refused;
  const facts: [string, Cell | undefined][] = [
    ['id', key.id],
    ['name', key.name],
    ['key', key.masked],
    ['state', stateCell(key, now, style)],
    ['tier', `${key.tier}, ${limitOf(key)} requests a day`],
    ['permissions', key.permissions.join(' ')],
    ...ATTRIBUTES.map((attribute): [string, Cell] => [attribute.label, textOf(attribute, key)]),
    ['created', key.createdAt.toISOString()],
    [
      'last used',
      key.lastUsedAt === undefined ? 'never' : `${key.lastUsedAt.toISOString()}${used}`,
    ],
    ['requests today', formatCount(requests)],
    [
      'refused',
      refused &&
        `${formatCount(refused.requests)}, last ${refused.lastAt.toISOString()}${fromText(refused.lastFrom)}`,
    ],
    ['will be revoked', key.scheduledRevocation?.at.toISOString()],
    ['revoked', key.revokedAt && `${key.revokedAt.toISOString()} by ${key.revokedBy}`],
    ['replaces', key.predecessorId],
    ['replaced by', successor?.id],
  ];
  return facts.flatMap(([name, value]) =>
    value === undefined ? [] : [[[name, style.dim], value]],
  );
}

function refusalRows(refusals: readonly KeyRefusal[], { dim }: Style): Cell[][] {
  return refusals.map(({ reason, requests, last_at, last_detail }, i) => [
    [i === 0 ? 'refused in 24 h' : '', dim],
    `${REASON_WORDS[reason]}: ${formatCount(requests)}, last ${last_at}${detailText(reason, last_detail)}`,
  ]);
}

const REASON_WORDS: Readonly<Record<RefusalReason, string>> = {
  revoked: 'revoked',
  paused: 'paused',
  expired: 'expired',
  network: 'client in no allowed network',
  permission: 'permission missing',
  rate: 'over its requests per second',
  daily_limit: 'over its daily limit',
};

const detailText = (reason: RefusalReason, detail: string | undefined) =>
  detail === undefined ? '' : `${reason === 'permission' ? ', lacked' : ' from'} ${detail}`;

const fromText = (address: string | undefined) => (address === undefined ? '' : ` from ${address}`);

export async function keyUsage(
  location: string,
  name: string,
  options: { days: number; json?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  return withKeys(location, async (keys, storage) => {
    const key = await findKey(keys, storage, name);
    const nowMs = storage.nowMs() ?? Date.now();
    const range = { from: dayBefore(nowMs, options.days - 1), to: dayOfMs(nowMs) };
    const rows = await storage.usage.rows({ ...range, keyIds: [key.id] });
    const described = rows.map(({ day, endpoint, statusClass, requests }) => ({
      day,
      endpoint,
      status_class: statusClass,
      requests,
    }));
    return print(terminal, options, { id: key.id, ...range, rows: described }, (style) => {
      if (rows.length === 0) return `no requests between ${range.from} and ${range.to}\n`;
      const lines = rows.map(({ day, endpoint, statusClass, requests }) => [
        day,
        endpoint,
        statusCell(statusClass, style),
        formatCount(requests),
      ]);
      return formatTable(lines, style, { head: ['day', 'endpoint', 'status', 'requests'] });
    });
  });
}

function statusCell(statusClass: number, { green, yellow, red }: Style): Cell {
  const paint = statusClass === 4 ? yellow : green;
  return [`${statusClass}xx`, statusClass >= 5 ? red : paint];
}

const MAX_LINE_CHARACTERS = 20_000;

/** It is read from standard input and never printed. */
export async function keyFind(
  location: string,
  source: string,
  options: { json?: boolean },
  streams: CommandStreams & Terminal,
): Promise<ExitCode> {
  if (source !== STANDARD_INPUT)
    throw new UsageError(
      'the key is read from standard input: as an argument it would stay in the history of the shell and be visible ' +
        `to other users of this machine. Run ${PROGRAM} key find - and paste it`,
    );
  const secret = await readSecret(streams);
  return withKeys(location, async (keys, storage) => {
    const key = await findKey(keys, storage, secret);
    return print(streams, options, describeKey(key), (style) => {
      const revoke =
        key.revokedAt === undefined ? [['revoke it', `${PROGRAM} key revoke ${key.id}`]] : [];
      const rows = [
        ['id', key.id],
        ['name', key.name],
        ['key', key.masked],
        ['state', stateCell(key, new Date(), style)],
      ];
      return formatTable([...rows, ...revoke], style);
    });
  });
}

async function readSecret({ stdin, stderr }: CommandStreams): Promise<string> {
  if (stdin().isTTY === true) stderr.write('Paste the key and press Enter:\n');
  for await (const lines of textLines(STANDARD_INPUT, stdin, MAX_LINE_CHARACTERS)) {
    const secret = lines.map(findSecret).find((secret) => secret !== undefined);
    if (secret !== undefined) return secret;
  }
  throw new InputError(
    'there is no whole key on standard input: its checksum is wrong, or a part is missing',
  );
}
