/**
 * The dataset as a MaxMind DB, for which nearly every log pipeline, web server and language has a reader.
 *
 * Country and network have MaxMind's names; everything else is named and nested as in the API, unless the file is to be
 * compatible with one of MaxMind's databases. The announced prefix is omitted: with it, hardly any two records would be
 * equal, and equal records are stored once and merged in the tree. Unlike in MaxMind's own files, 6to4 (2002::/16) is
 * not an alias of IPv4: `whence ip` looks up the IPv6 address, and so does this.
 */
import type { Dataset } from '@whence/dataset/internal/file/read';
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
import { MmdbFile } from './mmdb-file.ts';
import { placeOf } from './place.ts';

/** Returns the number of networks. The tree is built in memory: 0.4 GB for the default dataset. */
export async function writeMmdb(
  selection: Selection,
  sink: Sink,
  { compatible }: { readonly compatible: CompatibleType | undefined },
): Promise<number> {
  const database = new MmdbDatabase(formOf(compatible, selection.dataset));
  for await (const batch of selectRuns(selection))
    for (const run of batch) database.add(run, database.valueOf(run.fields, run.members));
  if (database.networks === 0) return 0;
  selection.onProgress('writing', 0.95);
  for (const part of database.encode(creditedMeta(selection))) await sink.write(part);
  return database.networks;
}

/** A form of its own, or of one of MaxMind's databases. */
export function formOf(compatible: CompatibleType | undefined, dataset: Dataset): RecordForm {
  return compatible === undefined ? ownForm() : compatibleForm(compatible, dataset);
}

/** One database. Runs are added in address order, IPv4 first; adjacent ones with the same value are merged. */
export class MmdbDatabase {
  readonly #form: RecordForm;
  readonly #file = new MmdbFile();
  readonly #values = new Map<Fields, number | undefined>();
  readonly #valuesOfMembers = new Map<AddressMembers, Map<Fields, number | undefined>>();
  #open: { version: 4 | 6; start: bigint; end: bigint; readonly value: number } | undefined;

  constructor(form: RecordForm) {
    this.#form = form;
  }

  get networks(): number {
    this.#close();
    return this.#file.networks;
  }

  /** `value` is that of its fields and members. */
  add({ version, start, end }: ExportRun, value: number | undefined): void {
    const open = this.#open;
    if (open?.value === value && open?.version === version && open.end + 1n === start) {
      open.end = end;
      return;
    }
    this.#close();
    if (value !== undefined) this.#open = { version, start, end, value };
  }

  /** Call it after the last `add`. */
  encode(meta: CreditedMeta): Buffer[] {
    this.#close();
    const { databaseType } = this.#form;
    return this.#file.encode({ databaseType, description: shortNotice(meta), builtAt: new Date(meta.built_at) });
  }

  #close(): void {
    if (this.#open !== undefined) this.#file.add(this.#open, this.#open.value);
    this.#open = undefined;
  }

  /** Undefined if the file says nothing about such networks. */
  valueOf(fields: Fields, members?: AddressMembers): number | undefined {
    const values = members === undefined ? this.#values : (this.#valuesOfMembers.get(members) ?? new Map());
    if (members !== undefined) this.#valuesOfMembers.set(members, values);
    const known = values.get(fields);
    if (known !== undefined || values.has(fields)) return known;
    const value = this.newValueOf(fields, members);
    values.set(fields, value);
    return value;
  }

  /** The same for a caller that remembers it. */
  newValueOf(fields: Fields, members?: AddressMembers): number | undefined {
    const record = this.#form.recordOf(fields, members);
    return record === undefined ? undefined : this.#file.addValue(record);
  }
}

function ownForm(): RecordForm {
  /** Of a few hundred different flags. */
  const detections = new Map<string, Value>();
  const detectionOf = (fields: Fields): Value => {
    const { ai_company, cloud_provider } = fields;
    const key = `${FLAGS.map((flag) => Number(fields[flag])).join('')} ${ai_company} ${cloud_provider}`;
    const flags = () => Object.fromEntries(FLAGS.map((flag) => [flag, fields[flag]]));
    const detection = detections.get(key) ?? sharedMap({ ...flags(), ai_company, cloud_provider });
    detections.set(key, detection);
    return detection;
  };
  return { databaseType: 'Whence', recordOf: (fields, members) => ownRecord(fields, detectionOf(fields), members) };
}

function ownRecord(
  fields: Fields,
  detection: Value,
  { location, routing, privacy, scanner, labels }: AddressMembers = {},
): Value {
  return mapOf({
    country: mapOf({ iso_code: fields.country }),
    autonomous_system_number: uint32(fields.asn),
    autonomous_system_organization: fields.asn_name,
    rir: fields.rir,
    connection_type: fields.connection_type,
    detection,
    threat: mapOf({ score: uint32(fields.threat_score), level: fields.threat_level }),
    ...(location && placeOf(location)),
    routing: routing && routingValue(routing),
    privacy: privacy && mapOf(privacy),
    scanner: scanner && mapOf(scanner),
    labels: labels?.join('; '),
  });
}

/** Origins are AS numbers; `rpki` is the state of the first, which is the network of the record. */
function routingValue({ origins, prefix_is_derived, connection_type_source, is_anycast, exchange }: Routing): Value {
  return mapOf({
    origins: origins.map(({ asn }) => uint32(asn)),
    rpki: origins[0]?.rpki,
    prefix_is_derived,
    connection_type_source,
    is_anycast,
    exchange,
  });
}
