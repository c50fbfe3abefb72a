/** `wh key show|usage`: one key with all its attributes, and its requests by day. */

import { dayAt } from '../../day.ts';
import { describeKey, type Key } from '../../keys/key.ts';
import { ATTRIBUTES, textOf } from '../../keys/key-attributes.ts';
import { type KeyRefusal, refusalsOf } from '../../keys/key-refusals.ts';
import type { StorageLocation } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { fit, print, type Style, type Terminal } from '../../terminal/style.ts';
import { type Cell, formatCount, formatTable } from '../../terminal/table.ts';
import type { RefusalReason } from '../../vocabulary.ts';
import { limitOf, stateCell } from './key.ts';
import { findKey, withKeys } from './open-keys.ts';

const DAY_MS = 86_400_000;

export async function keyShow(
  location: StorageLocation,
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
    ['last used', key.lastUsedAt === undefined ? 'never' : `${key.lastUsedAt.toISOString()}${used}`],
    ['requests today', formatCount(requests)],
    [
      'refused',
      refused && `${formatCount(refused.requests)}, last ${refused.lastAt.toISOString()}${fromText(refused.lastFrom)}`,
    ],
    ['will be revoked', key.scheduledRevocation?.at.toISOString()],
    ['revoked', key.revokedAt && `${key.revokedAt.toISOString()} by ${key.revokedBy}`],
    ['replaces', key.predecessorId],
    ['replaced by', successor?.id],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[[name, style.dim], value]]));
}

/** A row for each reason of the last 24 hours. */
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
  location: StorageLocation,
  name: string,
  options: { days: number; json?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  return withKeys(location, async (keys, storage) => {
    const key = await findKey(keys, storage, name);
    const nowMs = storage.nowMs() ?? Date.now();
    const range = { from: dayAt(nowMs - (options.days - 1) * DAY_MS).text, to: dayAt(nowMs).text };
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

/** 2xx is an answer, 4xx a mistake of the client, 5xx one of the server. */
function statusCell(statusClass: number, { green, yellow, red }: Style): Cell {
  return [`${statusClass}xx`, statusClass >= 5 ? red : statusClass === 4 ? yellow : green];
}
