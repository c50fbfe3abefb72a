/**
 * Sources in, dataset out. Both address families are walked run by run: `describe` decides what a run's record says,
 * the tables number networks, tails and records in the order in which the walk meets them, and `numberRows` puts them
 * into the order of the file.
 */
import type { Compiled } from '../file/write.ts';
import { type CompileInput, type Progress, sourcesOf } from './compile-input.ts';
import { FigureCounter } from './figures.ts';
import { flagSourcesOf } from './flag-sources.ts';
import { FlaggedHomes } from './flagged-homes.ts';
import { familyLayers } from './layers.ts';
import { NetworkTable } from './network-table.ts';
import { numberRows } from './numbering.ts';
import { ownNetworks } from './own-networks.ts';
import { RecordTable } from './record-table.ts';
import { RunFacts } from './run-facts.ts';
import { TailTable } from './tail-table.ts';
import { type WalkedFamily, walkFamily } from './walk.ts';

export function compile(input: CompileInput, progress: Progress = () => {}): Compiled {
  const own = ownNetworks(input.overrides);
  const sources = sourcesOf(input);
  const figures = new FigureCounter();
  const homes = new FlaggedHomes();
  const networks = new NetworkTable(own === undefined ? input : { ...input, names: [own, ...input.names] });
  const tails = new TailTable(sources, input);
  const records = new RecordTable();

  const compileFamily = (version: 4 | 6, familyProgress: (share: number) => void): WalkedFamily => {
    familyProgress(0);
    const family = familyLayers(input, own, version);
    const facts = new RunFacts(input, family);
    return walkFamily(family, {
      progress: familyProgress,
      announced: (addresses) => figures.announced(version, addresses),
      recordOf: (run, addresses) => {
        const network = networks.get(run.routes.value);
        networks.addSpace(network, version, addresses, facts.registeredCountry(run));
        if (version === 4) figures.compared(facts.countrySources, facts.countries(run), addresses);
        const tail = tails.get(facts.key(run, network), () => facts.of(run, network));
        figures.answered(version, addresses, tail.figures, facts.isConfirmed(run, tail.figures.country));
        if (
          version === 4 &&
          run.relabel.row < 0 &&
          run.verdict.row < 0 &&
          network.relabel === undefined &&
          network.verdict === undefined
        )
          homes.visit(network.asn, addresses, tail.figures);
        return records.number(network.asn, tail.id);
      },
    });
  };

  const ipv4 = compileFamily(4, (share) => progress('merging IPv4', share * 0.6));
  const ipv6 = compileFamily(6, (share) => progress('merging IPv6', 0.6 + share * 0.3));
  progress('numbering records', 0.9);
  return {
    sources,
    figures: figures.finish(),
    flagSources: flagSourcesOf(input),
    flaggedHomes: homes.finish(),
    tails: tails.rows,
    ...numberRows({ networks, records, ipv4, ipv6 }),
    otherOrigins: input.routes.flatMap(({ source, otherOrigins }) =>
      otherOrigins.map((origin) => ({ ...origin, source: sources.indexOf(source) })),
    ),
  };
}
