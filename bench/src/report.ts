/** Rows of the table that a benchmark prints: ours, the peer, how they compare, what was aimed at. And what it says on the way there. */
import { loadavg } from 'node:os';
import { formatTable } from 'whence/dist/terminal.js';

export type Row = {
  readonly measure: string;
  readonly ours: string;
  readonly peer?: string;
  readonly ratio?: string;
  readonly goal?: string;
  readonly isReached?: boolean;
};

/** Two rates, the greater the better. Without a goal the row is for information. */
export function ratioRow(measure: string, ours: number, peer: number, goal?: number, ratio = ours / peer): Row {
  return {
    measure,
    ours: formatRate(ours),
    peer: formatRate(peer),
    ratio: `${ratio.toFixed(ratio < 10 ? 2 : 1)} ×`,
    ...(goal === undefined ? {} : { goal: `≥ ${goal} ×`, isReached: ratio >= goal }),
  };
}

/** A cost that should stay within a limit. Without one the row is for information. */
export function limitRow(measure: string, ours: number, limit: number | undefined, unit: string): Row {
  return {
    measure,
    ours: `${ours.toFixed(ours < 10 ? 2 : ours < 100 ? 1 : 0)} ${unit}`,
    ...(limit === undefined ? {} : { goal: `≤ ${limit} ${unit}`, isReached: ours <= limit }),
  };
}

export function formatRows(rows: readonly Row[]): string {
  const titles = ['measure', 'ours', 'peer', 'ratio', 'goal', 'reached'];
  const cells = rows.map(({ measure, ours, peer = '', ratio = '', goal = '', isReached }) => [
    measure,
    ours.padStart(10),
    peer.padStart(10),
    ratio.padStart(7),
    goal,
    isReached === undefined ? '' : isReached ? 'yes' : 'no',
  ]);
  return formatTable([titles, ...cells]);
}

export function formatRate(perSecond: number): string {
  return perSecond < 1e6 ? `${(perSecond / 1e3).toFixed(1)} k/s` : `${(perSecond / 1e6).toFixed(2)} M/s`;
}

export const say = (text: string) => process.stdout.write(`${text}\n`);
export const load = () => `load average ${loadavg()[0]?.toFixed(1)}`;
