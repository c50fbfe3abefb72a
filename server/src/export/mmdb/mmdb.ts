/**
 * The dataset as a MaxMind DB, for which nearly every log pipeline, web server and language has a reader.
 *
 * Country and network have MaxMind's names; everything else is named and nested as in the API. The announced prefix is omitted: with it, hardly any two records would be equal, and equal records are stored once and merged in the tree. Unlike
 * in MaxMind's own files, 6to4 (2002::/16) is not an alias of IPv4: `whence ip` looks up the IPv6 address, and so does
 * this.
 */
import { FLAGS } from '@whence/dataset/record';
import type { Sink } from '../../terminal/output.ts';
import type { Fields } from '../fields.ts';
import { RangeMerger } from '../merged-ranges.ts';
import { shortNotice } from '../notice.ts';
import { type Selection, selectRuns } from '../rows.ts';
import { uint32, type Value } from './mmdb-data.ts';
import { MmdbFile } from './mmdb-file.ts';

/** Returns the number of networks. The tree is built in memory: 0.4 GB for the default dataset. */
export async function writeMmdb(selection: Selection, sink: Sink): Promise<number> {
  const file = new MmdbFile();
  const values = new Map<Fields, number>();
  const merger = new RangeMerger<Fields>((range, fields) => {
    let value = values.get(fields);
    if (value === undefined) {
      value = file.addValue(recordOf(fields));
      values.set(fields, value);
    }
    file.add(range, value);
  });
  for await (const batch of selectRuns(selection)) for (const run of batch) merger.add(run, run.fields);
  merger.finish();
  if (file.networks === 0) return 0;

  selection.onProgress('writing', 0.95);
  const { meta } = selection.dataset;
  const metadata = { databaseType: 'Whence', description: shortNotice(meta), builtAt: new Date(meta.built_at) };
  for (const part of file.encode(metadata)) await sink.write(part);
  return file.networks;
}

function recordOf(fields: Fields): Value {
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
  ]);
}
