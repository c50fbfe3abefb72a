/**
 * Fits the points of type signals and prints that table: `node
 * dataset/dist/test/review/fit-type-points.js > dataset/data/type-points.csv`. Run it after a
 * change of signals or labels. It is a multinomial logistic regression on one part of the labels
 * (`isFitted`), in which the three kinds weigh the same. A point is a quarter of the natural
 * logarithm of odds. The other part is never read here.
 */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { roleByName } from '../../compile/describe/connection.ts';
import { readEmbedded } from '../../compile/embedded.ts';
import type { KnownWords } from '../../compile/signals/name-signals.ts';
import { networkSignals } from '../../compile/signals/network-signals.ts';
import { routeShapes } from '../../compile/signals/route-shapes.ts';
import { isFitted } from '../../compile/signals/type-score.ts';
import { labelledNetworks, typeLabels } from '../../data-files/data-files.ts';
import type { ConnectionType } from '../../record.ts';

const KINDS = ['residential', 'datacenter', 'business'] as const;
type Kind = (typeof KINDS)[number];
const KIND_OF: Readonly<Record<ConnectionType, Kind>> = {
  residential: 'residential',
  mobile: 'residential',
  datacenter: 'datacenter',
  business: 'business',
  education: 'business',
};

/**
 * What a label counts. The sample is what the points are for. Networks of the hand-written table
 * are larger than those without a row; a type by a rule on names is right most of the time, and
 * about names of another kind.
 */
const WEIGHTS = { sample: 4, table: 0.3, rule: 0.025 } as const;
/** A signal of fewer networks is not used, and only the strongest are kept. */
const MIN_NETWORKS = 8;
const MAX_SIGNALS = 200;
const ROUNDS = 300;
const STEP = 0.05;
/** Single words are many and rare, so they are held closer to 0. */
const DECAY = { word: 0.003, other: 0.0003 } as const;
const POINTS_PER_UNIT = 4;
/** In every network. */
const CONSTANT = 'every network';

type Row = {
  readonly kind: number;
  readonly weight: number;
  readonly isByRule: boolean;
  readonly signals: ReadonlySet<string>;
};
type Points = Map<string, Float64Array>;

const rows = readRows();
const counts = new Map<string, number>();
for (const { signals, isByRule } of rows)
  if (!isByRule) for (const signal of signals) counts.set(signal, (counts.get(signal) ?? 0) + 1);
const frequent = [...counts].filter(([, count]) => count >= MIN_NETWORKS).map(([signal]) => signal);
const strength = (points: Points, signal: string) =>
  Math.max(...(points.get(signal) ?? []).map(Math.abs)) *
  Math.sqrt(Math.min(counts.get(signal) ?? 0, 400));
const first = fit(frequent);
const kept = frequent.sort((a, b) => strength(first, b) - strength(first, a)).slice(0, MAX_SIGNALS);
process.stdout.write(tableOf(fit(kept)));

function readRows(): Row[] {
  const require = createRequire(import.meta.url);
  const input = readEmbedded((name) => dirname(require.resolve(`${name}/package.json`)));
  const shapes = routeShapes(input);
  const names = input.names[0]?.names ?? new Map();
  const knownWords: KnownWords = new Map();
  return [...names].flatMap(([asn, { name = '' }]): Row[] => {
    const shape = shapes.get(asn);
    if (!isFitted(asn) || shape === undefined) return [];
    const byRule = roleByName(name)?.role;
    const byHand = labelledNetworks.find(asn)?.connection_type;
    const byReader = typeLabels.find(asn)?.connection_type;
    // A network that both a rule and a person have typed says nothing about signals.
    if (byRule !== undefined && byHand !== undefined) return [];
    const label = byRule ?? byHand ?? byReader;
    if (label === undefined) return [];
    const labelledWeight = byHand === undefined ? WEIGHTS.sample : WEIGHTS.table;
    const weight = byRule === undefined ? labelledWeight : WEIGHTS.rule;
    const {
      name: words,
      registration,
      announcements,
    } = networkSignals(asn, name, shape, knownWords);
    const signals = new Set([...words, ...registration, ...announcements, CONSTANT]);
    return [
      { kind: KINDS.indexOf(KIND_OF[label]), weight, signals, isByRule: byRule !== undefined },
    ];
  });
}

/**
 * Gradient descent with steps per weight (Adam). Weights are centred: they say how kinds compare.
 */
function fit(signals: readonly string[]): Points {
  const position = new Map(signals.map((signal, i) => [signal, i]));
  const kinds = KINDS.length;
  const decay = signals.map((signal) => (signal.startsWith('"') ? DECAY.word : DECAY.other));
  const weights = new Float64Array(signals.length * kinds);
  const mean = new Float64Array(weights.length);
  const variance = new Float64Array(weights.length);
  const totals = KINDS.map((_, kind) =>
    rows.reduce((sum, row) => sum + (row.kind === kind ? row.weight : 0), 0),
  );
  const all = totals.reduce((sum, total) => sum + total, 0);
  const data = rows.map(({ kind, weight, signals: own }) => ({
    kind,
    share: weight / (totals[kind] ?? 1) / kinds,
    own: [...own].flatMap((signal) => position.get(signal) ?? []),
  }));
  if (all === 0) throw new Error('there are no labels');
  for (let round = 1; round <= ROUNDS; round++) {
    const gradient = weights.map((weight, i) => weight * (decay[Math.floor(i / kinds)] ?? 0));
    for (const { kind, share, own } of data) {
      const odds = KINDS.map((_, k) =>
        Math.exp(own.reduce((sum, i) => sum + (weights[i * kinds + k] ?? 0), 0)),
      );
      const sum = odds.reduce((a, b) => a + b, 0);
      for (const i of own)
        for (let k = 0; k < kinds; k++) {
          const error = (odds[k] ?? 0) / sum - (k === kind ? 1 : 0);
          gradient[i * kinds + k] = (gradient[i * kinds + k] ?? 0) + error * share;
        }
    }
    for (const [i, slope] of gradient.entries()) {
      const m = 0.9 * (mean[i] ?? 0) + 0.1 * slope;
      const v = 0.99 * (variance[i] ?? 0) + 0.01 * slope * slope;
      mean[i] = m;
      variance[i] = v;
      const step = m / (1 - 0.9 ** round) / (Math.sqrt(v / (1 - 0.99 ** round)) + 1e-8);
      weights[i] = (weights[i] ?? 0) - STEP * step;
    }
  }
  return new Map(
    signals.map((signal, i) => {
      const own = weights.slice(i * kinds, (i + 1) * kinds);
      const middle = own.reduce((sum, weight) => sum + weight, 0) / kinds;
      return [signal, own.map((weight) => weight - middle)];
    }),
  );
}

function tableOf(points: Points): string {
  const today = new Date().toISOString().slice(0, 10);
  const lines = [...points]
    .map(
      ([signal, weights]) =>
        [signal, [...weights].map((weight) => Math.round(weight * POINTS_PER_UNIT) + 0)] as const,
    )
    .filter(([, values]) => values.some((value) => value !== 0))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([signal, values]) => {
      const cell = signal.includes('"') ? `"${signal.replaceAll('"', '""')}"` : signal;
      return `${cell},${values.join(',')},${today},review/fit-type-points\n`;
    });
  return `signal,residential,datacenter,business,as_of,source\n${lines.join('')}`;
}
