// The coverage of a dataset in numbers, stored in the file.

import { oldestDay } from '../../data-age.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import {
  type AgreementFigure,
  type DataSource,
  type DataSources,
  type FamilyFigures,
  type Figures,
  type FlagFigures,
  type Rir,
  type Source,
  type SpaceFigures,
  TYPE_ORIGINS,
  type TypeOrigin,
} from '../../record.ts';
import type { RunGroup } from '../layers/run-groups.ts';

type Sums = {
  announced: number;
  answered: number;
  withCountry: number;
  confirmedCountry: number;
  exactRir: number;
  readonly typeFrom: Record<TypeOrigin, number>;
};

type Runs = { count: number; space: number; confirmed: number };
const noRuns = (): Runs => ({ count: 0, space: 0, confirmed: 0 });

/** What a set of attributes adds to the figures, for each run of addresses that has it. */
export type AnswerFigures = {
  readonly country: string;
  readonly rir: Rir;
  readonly isExactRir: boolean;
  readonly typeFrom: TypeOrigin;
  readonly flags: readonly string[];
  readonly score: number;
  readonly decidedBy: Readonly<Record<DecidedField, Source | undefined>>;
};

type DecidedField = 'prefix' | 'country';
const DECIDED_FIELDS = ['prefix', 'country'] as const satisfies readonly DecidedField[];
/** A source that decides less of both families only fills gaps. */
const DECIDING_SHARE = 0.01;

/** Counts space in addresses for IPv4 and in /48s for IPv6. */
export class FigureCounter {
  readonly #sums: Record<4 | 6, Sums> = { 4: noSums(), 6: noSums() };
  readonly #flags = new Map<string, FlagFigures>();
  readonly #countries = new Map<string, SpaceFigures>();
  readonly #registries = new Map<string, SpaceFigures>();
  readonly #decided = {
    prefix: new Map<Source, SpaceFigures>(),
    country: new Map<Source, SpaceFigures>(),
  };
  /** By the positions of both sources, first * number of sources + second. */
  readonly #agreement = new Map<
    number,
    { sources: [string, string]; both: number; same: number }
  >();
  /** Per set of attributes what its runs add up to: a million runs have few different sets. */
  readonly #runs = { 4: new Map<AnswerFigures, Runs>(), 6: new Map<AnswerFigures, Runs>() };

  announced(version: 4 | 6, space: number): void {
    this.#sums[version].announced += space;
  }

  /** `isConfirmed`: two independent sources name the country. */
  answered(
    version: 4 | 6,
    { runs, space }: RunGroup,
    answer: AnswerFigures,
    isConfirmed: boolean,
  ): void {
    const sums = getOrInsert(this.#runs[version], answer, noRuns);
    sums.count += runs;
    sums.space += space;
    if (isConfirmed) sums.confirmed += space;
  }

  #add(version: 4 | 6, answer: AnswerFigures, { count, space, confirmed }: Runs): void {
    const { country, rir, isExactRir, typeFrom, flags, score, decidedBy } = answer;
    const sums = this.#sums[version];
    sums.answered += space;
    if (country !== 'ZZ') sums.withCountry += space;
    sums.confirmedCountry += confirmed;
    if (isExactRir) sums.exactRir += space;
    sums.typeFrom[typeFrom] += space;
    addSpace(this.#countries, country, version, space);
    addSpace(this.#registries, rir, version, space);
    for (const flag of flags) this.#flag(flag, version, space, count);
    if (score > 0) this.#flag('threat', version, space, count);
    for (const field of DECIDED_FIELDS) {
      const source = decidedBy[field];
      if (source !== undefined) addSpace(this.#decided[field], source, version, space);
    }
  }

  /**
   * Per source: the country that it names for these IPv4 addresses, as a number; -1 where it names
   * none.
   */
  compared(sources: readonly Source[], countries: readonly number[], addresses: number): void {
    for (let a = 0; a < sources.length; a++) {
      for (let b = a + 1; b < sources.length; b++) {
        if ((countries[a] ?? -1) < 0 || (countries[b] ?? -1) < 0) continue;
        const pair = getOrInsert(this.#agreement, a * sources.length + b, () => ({
          sources: [sources[a]?.id ?? '', sources[b]?.id ?? ''],
          both: 0,
          same: 0,
        }));
        pair.both += addresses;
        if (countries[a] === countries[b]) pair.same += addresses;
      }
    }
  }

  /** Called once, before `dataSources`. */
  finish(): Figures {
    for (const version of [4, 6] as const)
      for (const [answer, runs] of this.#runs[version]) this.#add(version, answer, runs);
    const agreement = [...this.#agreement.values()].map(
      ({ sources, both, same }): AgreementFigure => ({
        sources,
        ipv4_addresses: both,
        share: share(same, both),
      }),
    );
    return {
      ipv4: familyFigures(this.#sums[4]),
      ipv6: familyFigures(this.#sums[6]),
      country_agreement: agreement,
      flags: sorted(this.#flags),
      countries: sorted(this.#countries),
      registries: sorted(this.#registries),
    };
  }

  dataSources(): DataSources {
    const oldestWhere = (field: DecidedField, isDeciding: (space: SpaceFigures) => boolean) =>
      oldestOf(
        [...this.#decided[field]].flatMap(([{ id, as_of }, space]) =>
          isDeciding(space) ? [{ source: id, as_of }] : [],
        ),
      );
    return Object.fromEntries(
      DECIDED_FIELDS.flatMap((field) => {
        const ipv4 = oldestWhere(
          field,
          ({ ipv4_addresses }) =>
            ipv4_addresses >= Math.max(1, this.#sums[4].answered * DECIDING_SHARE),
        );
        const ipv6 = oldestWhere(
          field,
          ({ ipv6_48s }) => ipv6_48s > 0 && ipv6_48s >= this.#sums[6].answered * DECIDING_SHARE,
        );
        const oldest = oldestOf([ipv4, ipv6].filter((age) => age !== undefined));
        return oldest === undefined
          ? []
          : [[field, { ...oldest, ...(ipv4 && { ipv4 }), ...(ipv6 && { ipv6 }) }]];
      }),
    );
  }

  #flag(name: string, version: 4 | 6, space: number, count: number): void {
    getOrInsert(this.#flags, name, () => ({
      records: 0,
      ipv4_addresses: 0,
      ipv6_48s: 0,
    })).records += count;
    addSpace(this.#flags, name, version, space);
  }
}

function oldestOf(sources: readonly DataSource[]): DataSource | undefined {
  const day = oldestDay(sources.map(({ as_of }) => as_of));
  return sources.find(({ as_of }) => as_of === day);
}

function addSpace<K extends string | Source>(
  figures: Map<K, SpaceFigures>,
  name: K,
  version: 4 | 6,
  space: number,
): void {
  const sum = getOrInsert(figures, name, () => ({ ipv4_addresses: 0, ipv6_48s: 0 }));
  if (version === 4) sum.ipv4_addresses += space;
  else sum.ipv6_48s += space;
}

/** By name. Space that is smaller than a /48 is a fraction; six digits are a millionth of one. */
function sorted<T extends SpaceFigures>(figures: ReadonlyMap<string, T>): Record<string, T> {
  const rows = [...figures].map(
    ([name, figure]) => [name, { ...figure, ipv6_48s: round(figure.ipv6_48s, 6) }] as const,
  );
  return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function noSums(): Sums {
  return {
    announced: 0,
    answered: 0,
    withCountry: 0,
    confirmedCountry: 0,
    exactRir: 0,
    typeFrom: { list: 0, table: 0, rule: 0, signals: 0, none: 0 },
  };
}

function familyFigures({
  announced,
  answered,
  withCountry,
  confirmedCountry,
  exactRir,
  typeFrom,
}: Sums): FamilyFigures {
  const typeShares = TYPE_ORIGINS.map(
    (origin) => [origin, share(typeFrom[origin], answered)] as const,
  );
  return {
    announced: Math.round(announced),
    answered_share: share(answered, announced),
    country_share: share(withCountry, answered),
    country_confirmed_share: share(confirmedCountry, answered),
    exact_rir_share: share(exactRir, answered),
    connection_type_share: share(answered - typeFrom.none, answered),
    connection_type_from: Object.fromEntries(typeShares) as Record<TypeOrigin, number>,
  };
}

const share = (part: number, whole: number) => (whole === 0 ? 0 : round(part / whole, 5));

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
