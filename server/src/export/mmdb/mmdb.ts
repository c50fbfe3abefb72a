// The dataset as a MaxMind DB. Country and network have MaxMind's names, all else the API's, unless
// the file is to be compatible with one of MaxMind's. Without the announced prefix, so that equal
// records are stored once and merged. 6to4 is not an alias of IPv4: `wh ip` looks up the IPv6
// address too.

import type { Dataset } from '@whence/dataset/dataset';
import { getOrInsert } from '@whence/dataset/get-or-insert';
import { FLAGS } from '@whence/dataset/record';
import type { Routing } from '../../address/routing/routing.ts';
import type { AddressMembers } from '../../address/sections.ts';
import type { Sink } from '../../terminal/output.ts';
import type { Fields } from '../fields.ts';
import { type CreditedMeta, creditedMeta, shortNotice } from '../notice.ts';
import { type Selection, selectRuns } from '../rows.ts';
import type { ExportRun } from '../section-reader.ts';
import { type CompatibleType, compatibleForm, type RecordForm } from './compatible.ts';
import { mapOf, sharedMap, uint32, type Value } from './mmdb-data.ts';
import { insertRange, MmdbValues } from './mmdb-file.ts';
import { NO_DATA, SearchTree } from './mmdb-tree.ts';

/** Returns the number of networks. The tree is built in memory: 0.4 GB for the default dataset. */
export async function writeMmdb(
  selection: Selection,
  sink: Sink,
  { compatible }: { readonly compatible: CompatibleType | undefined },
): Promise<number> {
  const databases = new MmdbDatabases([formOf(compatible, selection.dataset)]);
  for await (const batch of selectRuns(selection)) for (const run of batch) databases.add(run);
  for (const { networks, encode } of databases.finish()) {
    if (networks === 0) return 0;
    selection.onProgress('writing', 0.95);
    for (const part of encode(creditedMeta(selection))) await sink.write(part);
    return networks;
  }
  return 0;
}

export function formOf(compatible: CompatibleType | undefined, dataset: Dataset): RecordForm {
  return compatible === undefined ? ownForm() : compatibleForm(compatible, dataset);
}

type Database = {
  readonly form: RecordForm;
  readonly values: MmdbValues;
  /** Its value for each key of the form. */
  readonly ofKeys: Map<number, number>;
  /** Its value for each kind. */
  readonly ofKinds: number[];
};

/**
 * Databases of the same runs. One tree of kinds, the combined values of a run, is built, and each
 * database's tree made from it. Runs are added in address order, IPv4 first.
 */
export class MmdbDatabases {
  readonly #databases: readonly Database[];
  readonly #tree = new SearchTree();
  #kinds = 0;
  readonly #kindsOfFields = new Map<Fields, number>();
  readonly #kindsOfMembers = new Map<AddressMembers, Map<Fields, number>>();
  #open: { version: 4 | 6; start: bigint; end: bigint; readonly kind: number } | undefined;

  constructor(forms: readonly RecordForm[]) {
    this.#databases = forms.map((form) => ({
      form,
      values: new MmdbValues(),
      ofKeys: new Map(),
      ofKinds: [],
    }));
  }

  add({ version, start, end, fields, members }: ExportRun): void {
    const kind = this.#kindOf(fields, members);
    const open = this.#open;
    if (open?.kind === kind && open.version === version && open.end + 1n === start) {
      open.end = end;
      return;
    }
    this.#close();
    if (kind !== NO_DATA) this.#open = { version, start, end, kind };
  }

  /**
   * The number of networks of each database, in order, and what makes its file. Call it after the
   * last `add`.
   */
  *finish(): Generator<{
    readonly networks: number;
    readonly encode: (meta: CreditedMeta) => Buffer[];
  }> {
    this.#close();
    for (const { form, values, ofKinds } of this.#databases) {
      const tree = this.#tree.withData(Int32Array.from(ofKinds));
      const { databaseType } = form;
      yield {
        networks: tree.networks,
        encode: (meta) =>
          values.encode(tree, {
            databaseType,
            description: shortNotice(meta),
            builtAt: new Date(meta.built_at),
          }),
      };
    }
  }

  #close(): void {
    if (this.#open !== undefined) insertRange(this.#tree, this.#open, this.#open.kind);
    this.#open = undefined;
  }

  #kindOf(fields: Fields, members: AddressMembers | undefined): number {
    const kinds =
      members === undefined
        ? this.#kindsOfFields
        : getOrInsert(this.#kindsOfMembers, members, () => new Map());
    return getOrInsert(kinds, fields, () => this.#newKind(this.#valuesOf(fields, members)));
  }

  #valuesOf(fields: Fields, members: AddressMembers | undefined): Int32Array {
    return Int32Array.from(this.#databases, ({ form, values, ofKeys }) => {
      const key = members === undefined ? form.keyOf?.(fields) : undefined;
      const earlier = key === undefined ? undefined : ofKeys.get(key);
      if (earlier !== undefined) return earlier;
      const record = form.recordOf(fields, members);
      const value = record === undefined ? NO_DATA : values.add(record);
      if (key !== undefined) ofKeys.set(key, value);
      return value;
    });
  }

  /** The value itself if there is one database: the fewest kinds. */
  #newKind(values: Int32Array): number {
    const [only = NO_DATA, ...others] = values;
    if (values.every((value) => value === NO_DATA)) return NO_DATA;
    const kind = others.length === 0 ? only : this.#kinds++;
    values.forEach((value, i) => {
      (this.#databases[i] as Database).ofKinds[kind] = value;
    });
    return kind;
  }
}

function ownForm(): RecordForm {
  /** A few hundred different sets of flags. */
  const detections = new Map<string, Value>();
  const detectionOf = (fields: Fields): Value => {
    const { ai_company, cloud_provider } = fields;
    const key = `${FLAGS.map((flag) => Number(fields[flag])).join('')} ${ai_company} ${cloud_provider}`;
    const flags = () => Object.fromEntries(FLAGS.map((flag) => [flag, fields[flag]]));
    return getOrInsert(detections, key, () =>
      sharedMap({ ...flags(), ai_company, cloud_provider }),
    );
  };
  return {
    databaseType: 'Whence',
    recordOf: (fields, members) => ownRecord(fields, detectionOf(fields), members),
  };
}

function ownRecord(
  fields: Fields,
  detection: Value,
  { routing, privacy, scanner, labels }: AddressMembers = {},
): Value {
  return mapOf({
    country: mapOf({ iso_code: fields.country }),
    autonomous_system_number: uint32(fields.asn),
    autonomous_system_organization: fields.asn_name,
    rir: fields.rir,
    connection_type: fields.connection_type,
    detection,
    threat: mapOf({ score: uint32(fields.threat_score), level: fields.threat_level }),
    routing: routing && routingValue(routing),
    privacy: privacy && mapOf(privacy),
    scanner: scanner && mapOf(scanner),
    labels: labels?.join('; '),
  });
}

/** Origins are AS numbers; `rpki` is the state of the first, which is the network of the record. */
function routingValue({ origins, prefix_is_derived, connection_type_source }: Routing): Value {
  return mapOf({
    origins: origins.map(({ asn }) => uint32(asn)),
    rpki: origins[0]?.rpki,
    prefix_is_derived,
    connection_type_source,
  });
}
