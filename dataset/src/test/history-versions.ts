/** Versions built from random samples that resemble each other, as daily builds do. The dates of their sources move on. */
import { compile } from '../compile/compile.ts';
import type { CompileInput } from '../compile/input/compile-input.ts';
import { type Content, encodeContent } from '../file/write.ts';
import { randomValues } from './random-prefixes.ts';
import { type Sample, sampleInput } from './sample-dataset.ts';

const NETWORKS = [
  [64500, 'Nord'],
  [64501, 'Süd "GmbH"'],
  [16509, 'Amazon.com, Inc.'],
  [22394, 'Verizon Business'],
] as const;

type Rows = {
  routes: Sample['routes'][number][];
  countries: (readonly [string, string])[];
  tor: (readonly [string, string])[];
  anonymous: NonNullable<Sample['anonymous']>[number][];
};

/** In each version about a tenth of the rows of the one before is replaced. */
export function* similarVersions(random: () => number): Generator<Content> {
  const { pick, prefix } = randomValues(random);
  const make = {
    routes: () => [prefix(), ...pick(NETWORKS)] as const,
    countries: () => [prefix(), pick(['DE', 'FR', 'US'])] as const,
    tor: () => [prefix(), pick(['Relay Friends', 'Exits e.V.'])] as const,
    anonymous: () => [prefix(), pick(['vpn', 'relay', 'proxy'] as const), 'Example'] as const,
  };
  const rows = <T>(count: number, one: () => T): T[] => Array.from({ length: count }, one);
  const current: Rows = {
    routes: rows(24, make.routes),
    countries: rows(16, make.countries),
    tor: rows(6, make.tor),
    anonymous: rows(4, make.anonymous),
  };
  for (let day = 1; ; day++) {
    yield encodeContent(compile(datedInput(current, day)));
    const replace = <T>(list: T[], one: () => T) => {
      for (let i = 0; i < list.length; i++) if (random() < 0.1) list[i] = one();
    };
    replace(current.routes, make.routes);
    replace(current.countries, make.countries);
    replace(current.tor, make.tor);
    replace(current.anonymous, make.anonymous);
  }
}

function datedInput(sample: Sample, day: number): CompileInput {
  const input = sampleInput(sample);
  const as_of = dayText(day);
  return {
    ...input,
    overlays: input.overlays.map((overlay) => ({ ...overlay, source: { ...overlay.source, as_of } })),
  };
}

export const builtAt = (day: number): Date => new Date(Date.UTC(2026, 0, day, 3));
const dayText = (day: number): string => builtAt(day).toISOString().slice(0, 10);
