/**
 * `wh decide replay rules.yaml access.log`: what the rules would have done to the requests of a
 * log.
 */
import { noteWaiting } from '../../enrich/input.ts';
import {
  REFUSED_GROUPS,
  type RefusedGroup,
  Replay,
  type ReplayReport,
} from '../../rules/replay.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine, printable } from '../../terminal/printable.ts';
import { fit, type Style } from '../../terminal/style.ts';
import { type Cell, countOf, formatCount, formatTable } from '../../terminal/table.ts';
import { readLog } from '../crawlers/read-log.ts';
import type { DataSettings } from '../embedded-data.ts';
import { openOverridden } from '../local-dataset.ts';
import { openDecider, openRules } from './check-rules.ts';

type ReplayOptions = { set?: string; json?: boolean; maxRefused?: number };

/** Groups of refused requests that a person would not want to refuse. */
const GROUPS: Readonly<Record<RefusedGroup, string>> = {
  verified_crawlers: 'verified crawlers',
  known_good: 'monitoring and other services that are known to be good',
  homes: 'home and mobile connections',
  successful: 'requests that were answered with success',
};

export async function replayRules(
  path: string,
  log: string,
  { set, json = false, maxRefused }: ReplayOptions,
  settings: DataSettings,
  streams: CommandStreams,
): Promise<ExitCode> {
  const file = await openRules(path);
  const dataset = await openOverridden(settings);
  const replay = new Replay(openDecider(file, path, set), dataset);
  noteWaiting(log, streams, 'a log');
  const report = replay.report(
    await readLog(log, streams.stdin, (entry) => void replay.add(entry)),
  );
  streams.stdout.write(json ? jsonLine(report) : textOf(report, fit(streams)));
  const isTooMuch = maxRefused !== undefined && report.refused.share > maxRefused;
  if (isTooMuch)
    streams.stderr.write(
      `${percent(report.refused.share)} would be refused, more than ${percent(maxRefused)}\n`,
    );
  // A log of another format would otherwise keep every limit.
  return isTooMuch || report.unreadable === report.lines ? 1 : 0;
}

const percent = (share: number) => `${(share * 100).toFixed(2)}%`;

function textOf({ lines, unreadable, rules, refused }: ReplayReport, style: Style): string {
  const number = (value: number, head: string) => formatCount(value).padStart(head.length);
  const rows = rules.map(({ rule, action, requests, clients, share }): Cell[] => [
    rule ?? 'default',
    action === 'deny' ? [action, style.red] : action,
    number(requests, 'requests'),
    number(clients, 'clients'),
    percent(share).padStart('share'.length + 3),
  ]);
  const groups = REFUSED_GROUPS.filter((name) => refused[name].requests > 0).map(
    (name) =>
      `  ${countOf(refused[name].requests, 'request')} of ${countOf(refused[name].clients, 'client')}: ${GROUPS[name]}\n`,
  );
  const networks = refused.networks.map(({ asn, asn_name, requests, clients }): Cell[] => [
    `AS${asn}`,
    printable(asn_name),
    number(requests, 'requests'),
    number(clients, 'clients'),
  ]);
  return [
    formatTable(rows, style, { head: ['rule', 'then', 'requests', 'clients', 'share'] }),
    `\n${countOf(lines, 'line')}, ${formatCount(unreadable)} without a client\n`,
    `refused: ${countOf(refused.requests, 'request')} (${percent(refused.share)}) of ${countOf(refused.clients, 'client')}\n`,
    ...groups,
    networks.length === 0
      ? ''
      : `\n${formatTable(networks, style, { head: ['', 'network', 'requests', 'clients'] })}`,
  ].join('');
}
