// What each network is called and what kind of network it is: by names, lists and announcements,
// whatever its addresses are. That is a quarter of a build, so a build does it in a thread of its
// own.
import { getOrInsert } from '../../get-or-insert.ts';
import type { Source } from '../../record.ts';
import type { CompileInput } from '../input/compile-input.ts';
import type { KnownWords } from '../signals/name-signals.ts';
import { networkSignals } from '../signals/network-signals.ts';
import { type RouteShape, routeShapes } from '../signals/route-shapes.ts';
import { type Connection, connectionOf } from './connection.ts';
import { NetworkNames } from './network-names.ts';

/** Plain data, which a thread can be given. */
type NetworkStatements = Pick<CompileInput, 'names' | 'networkLists' | 'tables'> & {
  readonly shapes: ReadonlyMap<number, RouteShape>;
};

export type NetworkDescription = {
  readonly name: string;
  readonly nameSource: Source | undefined;
  readonly handle: string | undefined;
  /** Equal connections are the same object. */
  readonly connection: Connection;
};

export function networkStatements(input: CompileInput): NetworkStatements {
  const { names, networkLists, tables } = input;
  return { names, networkLists, tables, shapes: routeShapes(input) };
}

/** Every network that is announced or named, by AS number. */
export function describeNetworks({
  names: sources,
  networkLists,
  tables,
  shapes,
}: NetworkStatements): Map<number, NetworkDescription> {
  const names = new NetworkNames(sources, tables.networks);
  const knownWords: KnownWords = new Map();
  const connections = new Map<string, Connection>();
  const descriptions = new Map<number, NetworkDescription>();
  const describe = (asn: number) => {
    if (descriptions.has(asn)) return;
    const handle = names.handle(asn);
    const named = names.name(asn);
    const name = named?.value ?? handle ?? `AS${asn}`;
    const signals = () => networkSignals(asn, name, shapes.get(asn), knownWords);
    const connection = connectionOf({ asn, name, handle, signals }, networkLists, tables);
    descriptions.set(asn, {
      name,
      nameSource: named?.source,
      handle,
      connection: getOrInsert(connections, connectionKey(connection), () => connection),
    });
  };
  for (const asn of names.asns()) describe(asn);
  for (const asn of shapes.keys()) describe(asn);
  return descriptions;
}

/** Sources by their ids: their terms and credits are much longer. */
function connectionKey({ decidedBy, vpn, scanner, criminal, tooOld, ...own }: Connection): string {
  return JSON.stringify([
    own,
    decidedBy.id,
    vpn && [vpn.operator, vpn.source.id],
    scanner && [scanner.value, scanner.source.id],
    criminal?.id,
    tooOld?.map(({ source, tooOld: drives }) => [source.id, drives]),
  ]);
}

/** A thread returns copies of the sources; decisions compare sources by identity. */
export function withSourcesOf(
  { names, networkLists, tables }: CompileInput,
  descriptions: ReadonlyMap<number, NetworkDescription>,
): Map<number, NetworkDescription> {
  const stating = [...names, ...networkLists].map(({ source }) => source);
  const byId = new Map([...stating, ...Object.values(tables)].map((source) => [source.id, source]));
  // Every source of a description is one of these.
  const own = ({ id }: Source) => byId.get(id) as Source;
  const ownConnection = (connection: Connection): Connection => {
    const { decidedBy, vpn, scanner, criminal, tooOld } = connection;
    return {
      ...connection,
      decidedBy: own(decidedBy),
      vpn: vpn && { ...vpn, source: own(vpn.source) },
      scanner: scanner && { ...scanner, source: own(scanner.source) },
      criminal: criminal && own(criminal),
      tooOld: tooOld?.map((list) => ({ ...list, source: own(list.source) })),
    };
  };
  const connections = new Map<Connection, Connection>();
  return new Map(
    [...descriptions].map(([asn, { name, nameSource, handle, connection: copy }]) => [
      asn,
      {
        name,
        nameSource: nameSource && own(nameSource),
        handle,
        connection: getOrInsert(connections, copy, () => ownConnection(copy)),
      },
    ]),
  );
}
