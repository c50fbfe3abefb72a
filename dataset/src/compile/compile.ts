/**
 * Sources in, dataset out. Both address families are walked run by run: `describe` decides what a run's record says,
 * the tables number networks, attributes and records in the order in which the walk meets them, and `numberRows` puts
 * them into the order of the file.
 */
import type { Compiled } from '../file/write.ts';
import { FlaggedAccessNetworks } from './guard/flagged-access-networks.ts';
import { HeldOutAddresses } from './held-out/addresses.ts';
import { heldOutNetworkRows, labelledNetworkRows } from './held-out/networks.ts';
import { type CompileInput, type Progress, sourcesOf } from './input/compile-input.ts';
import { familyLayers } from './layers/layers.ts';
import { type WalkedFamily, walkFamily } from './layers/walk.ts';
import { AttributeTable } from './records/attribute-table.ts';
import { FigureCounter } from './records/figures.ts';
import { flagSourcesOf } from './records/flag-sources.ts';
import { NetworkTable } from './records/network-table.ts';
import { numberRows } from './records/numbering.ts';
import { RecordTable } from './records/record-table.ts';
import { RunFacts } from './records/run-facts.ts';

export function compile(input: CompileInput, progress: Progress = () => {}): Compiled {
  const sources = sourcesOf(input);
  const figures = new FigureCounter();
  const heldOut = new HeldOutAddresses();
  const accessNetworks = new FlaggedAccessNetworks();
  const networks = new NetworkTable(input);
  const attributes = new AttributeTable(sources, input);
  const records = new RecordTable();

  const compileFamily = (version: 4 | 6, familyProgress: (share: number) => void): WalkedFamily => {
    familyProgress(0);
    const family = familyLayers(input, version);
    const facts = new RunFacts(input, family);
    return walkFamily(family, {
      progress: familyProgress,
      announced: (addresses) => figures.announced(version, addresses),
      recordOf: (run, addresses) => {
        const network = networks.get(run.routes.value);
        networks.addSpace(network, version, addresses, facts.registeredCountry(run));
        if (version === 4) figures.compared(facts.countrySources, facts.countries(run), addresses);
        const set = attributes.get(facts.key(run, network), () => facts.of(run, network));
        figures.answered(version, addresses, set.figures, facts.isConfirmed(run, network.asn, set.figures.country));
        heldOut.visit(version, addresses, set.outcomes);
        if (version === 4) accessNetworks.visit(network.asn, addresses, set.figures);
        return records.number(network.asn, set.id);
      },
    });
  };

  const ipv4 = compileFamily(4, (share) => progress('merging IPv4', share * 0.6));
  const ipv6 = compileFamily(6, (share) => progress('merging IPv6', 0.6 + share * 0.3));
  progress('numbering records', 0.9);
  const flagSources = flagSourcesOf(input);
  return {
    sources,
    figures: figures.finish(),
    dataSources: figures.dataSources(),
    flagSources,
    flaggedAccessNetworks: accessNetworks.finish(),
    heldOut: [
      ...heldOut.finish(flagSources),
      ...heldOutNetworkRows(networks.heldOut(), input.tables.networks),
      ...labelledNetworkRows(networks.labelled()),
    ],
    attributes: attributes.rows,
    ...numberRows({ networks, records, ipv4, ipv6 }),
    otherOrigins: input.routes.flatMap(({ source, otherOrigins }) =>
      otherOrigins.map((origin) => ({ ...origin, source: sources.indexOf(source) })),
    ),
  };
}
