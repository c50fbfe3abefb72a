/**
 * The dataset as a MaxMind DB, for which nearly every log pipeline, web server and language has a reader.
 *
 * Country and network have MaxMind's names; everything else is named and nested as in the API, unless the file is to be
 * compatible with one of MaxMind's databases. The announced prefix is omitted: with it, hardly any two records would be
 * equal, and equal records are stored once and merged in the tree. Unlike in MaxMind's own files, 6to4 (2002::/16) is
 * not an alias of IPv4: `whence ip` looks up the IPv6 address, and so does this.
 */
import { FLAGS } from '@whence/dataset/record';
import type { Routing } from '../../address/routing/routing.ts';
import type { AddressMembers } from '../../address/sections.ts';
import type { Sink } from '../../terminal/output.ts';
import type { Fields } from '../fields.ts';
import { mergedRanges } from '../merged-ranges.ts';
import { creditedMeta, shortNotice } from '../notice.ts';
import type { Selection } from '../rows.ts';
import { type CompatibleType, compatibleForm, type RecordForm } from './compatible.ts';
import { uint32, type Value } from './mmdb-data.ts';
import { MmdbFile } from './mmdb-file.ts';
import { placeOf } from './place.ts';

/** Returns the number of networks. The tree is built in memory: 0.4 GB for the default dataset. */
export async function writeMmdb(
  selection: Selection,
  sink: Sink,
  { compatible }: { readonly compatible: CompatibleType | undefined },
): Promise<number> {
  const { databaseType, recordOf } =
    compatible === undefined ? OWN_FORM : compatibleForm(compatible, selection.dataset);
  const file = new MmdbFile();
  const values = new Map<Fields, Map<AddressMembers | undefined, number | undefined>>();
  const indexOf = (fields: Fields, members: AddressMembers | undefined): number | undefined => {
    const byMembers = values.get(fields) ?? new Map<AddressMembers | undefined, number | undefined>();
    values.set(fields, byMembers);
    if (byMembers.has(members)) return byMembers.get(members);
    const record = recordOf(fields, members);
    const value = record === undefined ? undefined : file.addValue(record);
    byMembers.set(members, value);
    return value;
  };
  for await (const batch of mergedRanges(selection, indexOf))
    for (const { range, value } of batch) file.add(range, value);
  if (file.networks === 0) return 0;

  selection.onProgress('writing', 0.95);
  const meta = creditedMeta(selection);
  const metadata = { databaseType, description: shortNotice(meta), builtAt: new Date(meta.built_at) };
  for (const part of file.encode(metadata)) await sink.write(part);
  return file.networks;
}

const OWN_FORM: RecordForm = { databaseType: 'Whence', recordOf: ownRecord };

function ownRecord(fields: Fields, { location, routing, privacy }: AddressMembers = {}): Value {
  const { asn, asn_name, country, rir, connection_type, ai_company, cloud_provider, threat_score, threat_level } =
    fields;
  const detection = new Map<string, Value>(FLAGS.map((flag) => [flag, fields[flag]]));
  if (ai_company !== undefined) detection.set('ai_company', ai_company);
  if (cloud_provider !== undefined) detection.set('cloud_provider', cloud_provider);
  return new Map<string, Value>([
    ['country', new Map([['iso_code', country]])],
    ['autonomous_system_number', uint32(asn)],
    ['autonomous_system_organization', asn_name],
    ['rir', rir],
    ['connection_type', connection_type],
    ['detection', detection],
    [
      'threat',
      new Map<string, Value>([
        ['score', uint32(threat_score)],
        ['level', threat_level],
      ]),
    ],
    ...(location === undefined ? [] : placeOf(location)),
    ...(routing === undefined ? [] : [['routing', routingValue(routing)] as const]),
    ...(privacy === undefined ? [] : [['privacy', new Map(Object.entries(privacy))] as const]),
  ]);
}

/** Origins are AS numbers; `rpki` is the state of the first, which is the network of the record. */
function routingValue({ origins, is_anycast, exchange }: Routing): Value {
  const rpki = origins[0]?.rpki;
  return new Map<string, Value>([
    ['origins', origins.map(({ asn }) => uint32(asn))],
    ...(rpki === undefined ? [] : [['rpki', rpki] as const]),
    ...(is_anycast === undefined ? [] : [['is_anycast', is_anycast] as const]),
    ...(exchange === undefined ? [] : [['exchange', exchange] as const]),
  ]);
}
