/** How good a dataset is, in numbers that a build prints and keeps: what it covers, how far its sources agree, what is flagged. */
import type { AgreementFigure, FamilyFigures, Figures, FlagFigures, Source } from '../record.ts';

type Sums = { announced: number; answered: number; withCountry: number; exactRir: number; withType: number };

/** Space is counted in addresses for IPv4 and in /48s for IPv6. */
export class FigureCounter {
  readonly #sums: Record<4 | 6, Sums> = { 4: noSums(), 6: noSums() };
  readonly #flags = new Map<string, FlagFigures>();
  readonly #agreement = new Map<string, { sources: [string, string]; both: number; same: number }>();

  announced(version: 4 | 6, addresses: bigint): void {
    this.#sums[version].announced += spaceOf(version, addresses);
  }

  answered(version: 4 | 6, addresses: bigint, { hasCountry, isExactRir, hasType, flags, score }: Answered): void {
    const sums = this.#sums[version];
    const space = spaceOf(version, addresses);
    sums.answered += space;
    if (hasCountry) sums.withCountry += space;
    if (isExactRir) sums.exactRir += space;
    if (hasType) sums.withType += space;
    for (const flag of flags) this.#flag(flag, version, space);
    if (score > 0) this.#flag('threat', version, space);
  }

  /** Countries that sources give the same addresses; undefined where one says nothing. IPv4 only. */
  compared(sources: readonly Source[], countries: readonly (number | undefined)[], addresses: bigint): void {
    for (let a = 0; a < sources.length; a++) {
      for (let b = a + 1; b < sources.length; b++) {
        if (countries[a] === undefined || countries[b] === undefined) continue;
        const key = `${a} ${b}`;
        let pair = this.#agreement.get(key);
        if (pair === undefined) {
          pair = { sources: [sources[a]?.id ?? '', sources[b]?.id ?? ''], both: 0, same: 0 };
          this.#agreement.set(key, pair);
        }
        pair.both += Number(addresses);
        if (countries[a] === countries[b]) pair.same += Number(addresses);
      }
    }
  }

  finish(): Figures {
    const agreement = [...this.#agreement.values()].map(
      ({ sources, both, same }): AgreementFigure => ({ sources, ipv4_addresses: both, share: share(same, both) }),
    );
    return {
      ipv4: familyFigures(this.#sums[4]),
      ipv6: familyFigures(this.#sums[6]),
      country_agreement: agreement,
      flags: Object.fromEntries([...this.#flags].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }

  #flag(name: string, version: 4 | 6, space: number): void {
    const figures = this.#flags.get(name) ?? { records: 0, ipv4_addresses: 0, ipv6_48s: 0 };
    figures.records++;
    if (version === 4) figures.ipv4_addresses += space;
    else figures.ipv6_48s = round(figures.ipv6_48s + space, 6);
    this.#flags.set(name, figures);
  }
}

export type Answered = {
  readonly hasCountry: boolean;
  readonly isExactRir: boolean;
  readonly hasType: boolean;
  readonly flags: readonly string[];
  readonly score: number;
};

function noSums(): Sums {
  return { announced: 0, answered: 0, withCountry: 0, exactRir: 0, withType: 0 };
}

function familyFigures({ announced, answered, withCountry, exactRir, withType }: Sums): FamilyFigures {
  return {
    announced: Math.round(announced),
    answered_share: share(answered, announced),
    country_share: share(withCountry, answered),
    exact_rir_share: share(exactRir, answered),
    connection_type_share: share(withType, answered),
  };
}

const spaceOf = (version: 4 | 6, addresses: bigint) =>
  version === 4 ? Number(addresses) : Number(addresses >> 40n) / 2 ** 40;

const share = (part: number, whole: number) => (whole === 0 ? 0 : round(part / whole, 5));

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
