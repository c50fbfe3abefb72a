/**
 * What `npm run bench -- capacity` and the process of simulated replicas
 * (server/src/test/simulation) say to each other, over the IPC channel of the process. One task at
 * a time; each gets one result.
 */
export type SimulationTask =
  /** Adds replicas; the first one creates the tables. */
  | { readonly kind: 'start'; readonly databaseUrl: string; readonly replicas: number }
  /** Half of them Free, half Pro. */
  | { readonly kind: 'insert keys'; readonly count: number }
  /** Popular keys get most of the requests, and each key is used on `replicasPerKey` replicas. */
  | ({
      readonly kind: 'many keys';
      readonly replicasPerKey: number;
      readonly seed: number;
    } & OfferedRate)
  /** The first `keys` Pro keys in turn, each on one replica. */
  | ({ readonly kind: 'busy keys'; readonly keys: number } & OfferedRate)
  /** Some Free keys on all replicas, until their limits are reached. */
  | { readonly kind: 'use up'; readonly keys: number }
  /** Why requests failed so far, and how often. */
  | { readonly kind: 'failures' };

type OfferedRate = { readonly perSecond: number; readonly seconds: number };

export type OfferedLoad = {
  readonly sent: number;
  /** Waits of the requests that had to wait for storage. */
  readonly waitsMs: readonly number[];
};

export type SimulationResult = {
  readonly start: null;
  readonly 'insert keys': null;
  readonly 'many keys': OfferedLoad;
  readonly 'busy keys': OfferedLoad;
  readonly 'use up': readonly number[];
  readonly failures: readonly (readonly [message: string, count: number])[];
};

export type SimulationReply<Kind extends keyof SimulationResult> =
  | { readonly result: SimulationResult[Kind] }
  | { readonly error: string };
