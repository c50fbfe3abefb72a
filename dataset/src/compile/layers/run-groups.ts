// The runs of a family in groups. What is decided about a run depends on its network and on what
// the layers say, and 770,000 runs have 220,000 different combinations of both.
import { getOrInsert } from '../../get-or-insert.ts';
import { spaceOf } from '../../prefix.ts';
import { PairNumbers } from './pair-numbers.ts';
import type { RunCursors } from './runs.ts';

/** What each layer says about a run: its value there, or -1 where it says nothing. */
export type RunValues = {
  /** Distinct values of a family are numbered from 0. */
  readonly number: number;
  /** The position of the source of the route. */
  readonly routeSource: number;
  readonly ianaRir: number;
  readonly holder: number;
  readonly delegatedCountry: number;
  readonly overlays: number;
  readonly countries: readonly number[];
};

export type RunGroup = {
  readonly asn: number;
  /** Equal values are the same object. */
  readonly values: RunValues;
  runs: number;
  /** In the unit of `spaceOf`. */
  space: number;
  /** Without the fraction of each run. */
  wholeSpace: number;
};

export class RunGroups {
  /** In the order of their first runs. */
  readonly list: RunGroup[] = [];
  readonly #version: 4 | 6;
  readonly #sourceOfRoute: ArrayLike<number>;
  readonly #keys = new PairNumbers();
  readonly #values = new Map<number, RunValues>();
  readonly #groups = new PairNumbers();

  constructor(version: 4 | 6, sourceOfRoute: ArrayLike<number>) {
    this.#version = version;
    this.#sourceOfRoute = sourceOfRoute;
  }

  /** The position of the run's group in `list`. */
  add(run: RunCursors, addresses: bigint): number {
    const asn = run.routes.value;
    const key = this.#key(run);
    const number = this.#groups.of(asn, key);
    if (number === this.list.length) {
      const values = getOrInsert(this.#values, key, () => this.#valuesOf(run, this.#values.size));
      this.list.push({ asn, values, runs: 0, space: 0, wholeSpace: 0 });
    }
    const group = this.list[number] as RunGroup;
    const space = spaceOf(this.#version, addresses);
    group.runs++;
    group.space += space;
    group.wholeSpace += Math.floor(space);
    return number;
  }

  /**
   * The number of the pair of the last value and the key of those before. All lists have the same
   * length, so no list has the key of the beginning of another one.
   */
  #key(run: RunCursors): number {
    const keys = this.#keys;
    let key = keys.of(this.#routeSource(run), run.ianaRir.value);
    key = keys.of(key, run.holder.value);
    key = keys.of(key, run.delegatedCountry.value);
    key = keys.of(key, run.overlays.value);
    for (const { value } of run.countries) key = keys.of(key, value);
    return key;
  }

  #valuesOf(run: RunCursors, number: number): RunValues {
    return {
      number,
      routeSource: this.#routeSource(run),
      ianaRir: run.ianaRir.value,
      holder: run.holder.value,
      delegatedCountry: run.delegatedCountry.value,
      overlays: run.overlays.value,
      countries: run.countries.map(({ value }) => value),
    };
  }

  #routeSource(run: RunCursors): number {
    return this.#sourceOfRoute[run.routes.row] as number;
  }
}
