/** The result table of a benchmark: ours, peer, ratio, goal. */
import { formatTable } from '@whence/testing/console-report';

export type Row = {
  readonly measure: string;
  readonly ours: string;
  readonly peer?: string;
  readonly ratio?: string;
  readonly goal?: string;
  readonly isReached?: boolean;
};

/** Compares two rates; higher is better. Without a goal the row is informative. */
export function ratioRow(
  measure: string,
  ours: number,
  peer: number,
  goal?: number,
  ratio = ours / peer,
): Row {
  return {
    measure,
    ours: formatRate(ours),
    peer: formatRate(peer),
    ratio: `${ratio.toFixed(ratio < 10 ? 2 : 1)} ×`,
    ...(goal === undefined ? {} : { goal: `≥ ${goal} ×`, isReached: ratio >= goal }),
  };
}

/** A cost with an upper limit. Without a limit the row is informative. */
export function limitRow(
  measure: string,
  ours: number,
  limit: number | undefined,
  unit: string,
): Row {
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.max(1, ours))));
  return {
    measure,
    ours: `${ours.toFixed(decimals)} ${unit}`,
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
    reachedWord(isReached),
  ]);
  return formatTable([titles, ...cells]);
}

function reachedWord(isReached: boolean | undefined): string {
  if (isReached === undefined) return '';
  return isReached ? 'yes' : 'no';
}

export function formatRate(perSecond: number): string {
  return perSecond < 1e6
    ? `${(perSecond / 1e3).toFixed(1)} k/s`
    : `${(perSecond / 1e6).toFixed(2)} M/s`;
}
