/**
 * The dataset as a MaxMind DB, which nearly every log pipeline, web server and language has a reader for.
 *
 * Country and network have the names that MaxMind uses; all else is named and nested as in the API. The announced prefix is left
 * out: with it hardly two records would be equal, and equal ones are stored once and joined in the tree. 6to4 (2002::/16) does not
 * lead to IPv4, unlike in MaxMind's own files: `whence ip` answers for the IPv6 address, and so does this.
 */
import { FLAGS } from '@whence/dataset/record';
import type { Sink } from '../output/sink.ts';
import type { Fields } from './fields.ts';
import { uint32, type Value } from './mmdb-data.ts';
import { MmdbFile } from './mmdb-file.ts';
import { shortNotice } from './notice.ts';
import { RangeJoiner } from './range-joiner.ts';
import { type Selection, selectRuns } from './rows.ts';

/** Returns the number of networks. The tree cannot be written before it is whole: 0.4 GB of memory for the default dataset. */
export async function writeMmdb(selection: Selection, sink: Sink): Promise<number> {
  const file = new MmdbFile();
  const values = new Map<Fields, number>();
  const joiner = new RangeJoiner<Fields>((range, fields) => {
    let value = values.get(fields);
    if (value === undefined) {
      value = file.addValue(recordOf(fields));
      values.set(fields, value);
    }
    file.add(range, value);
  });
  for await (const batch of selectRuns(selection)) for (const run of batch) joiner.add(run, run.fields);
  joiner.finish();
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
