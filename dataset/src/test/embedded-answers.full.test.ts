/**
 * Well-known addresses in the embedded default; `whole-dataset.full.test.ts` compares all of it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { prepareEmbeddedDataset } from '@whence/testing/embedded-dataset';
import { parseAddress } from '../address.ts';
import { Dataset } from '../file/read.ts';
import { ownBuffer } from './sample-dataset.ts';

const file = readFileSync((await prepareEmbeddedDataset()).file);
const dataset = new Dataset(ownBuffer(file));

for (const [ip, want] of [
  [
    '8.8.8.8',
    {
      asn: 15169,
      country: 'US',
      rir: 'ARIN',
      connection_type: 'datacenter',
      // A service of Google, which is not for rent.
      cloud_provider: undefined,
      score: 0,
    },
  ],
  [
    '1.1.1.1',
    { asn: 13335, rir: 'APNIC', connection_type: 'datacenter', cloud_provider: 'Cloudflare' },
  ],
  ['9.9.9.9', { asn: 19281, rir: 'ARIN' }],
  ['193.0.6.139', { asn: 3333, rir: 'RIPE', country: 'NL' }],
  ['200.160.2.3', { rir: 'LACNIC', country: 'BR' }],
  ['196.216.2.6', { rir: 'AFRINIC' }],
  [
    '2001:4860:4860::8888',
    {
      asn: 15169,
      prefix: '2001:4860::/32',
      country: 'US',
      rir: 'ARIN',
      cloud_provider: undefined,
    },
  ],
  ['144.217.1.1', { asn: 16276, country: 'CA', rir: 'ARIN' }],
  ['173.249.0.1', { asn: 51167, country: 'DE', rir: 'RIPE', cloud_provider: 'Contabo' }],
  ['119.29.29.29', { country: 'CN', rir: 'APNIC', cloud_provider: 'Tencent Cloud' }],
  ['199.9.14.201', { country: 'US', rir: 'ARIN' }],
  ['151.101.1.1', { asn: 54113, country: 'US', rir: 'ARIN', cloud_provider: 'Fastly' }],
  // Blocks of carriers that DB-IP alone places in another country.
  ['70.64.0.1', { asn: 6327, country: 'CA' }],
  ['4.8.0.1', { asn: 3356, country: 'US' }],
  ['204.204.0.1', { asn: 174, country: 'US' }],
  ['107.72.96.1', { asn: 64011, asn_name: 'AT&T Mobility', is_mobile: true }],
  ['206.126.236.1', { country: 'US', rir: 'ARIN', is_datacenter: false }],
  ['31.94.1.1', { asn: 2856, is_mobile: true }],
  ['92.184.105.1', { asn: 3215, is_mobile: true }],
  ['106.128.1.1', { asn: 2516, is_mobile: true }],
  ['109.40.1.1', { asn: 3209, is_mobile: true }],
  ['213.87.1.1', { asn: 8359, is_mobile: true }],
  ['126.152.1.1', { asn: 17676, is_mobile: true }],
  ['177.26.1.1', { asn: 26599, is_mobile: true }],
  ['82.113.100.1', { asn: 6805, is_mobile: true }],
  ['176.2.1.1', { asn: 6805, is_mobile: true }],
  ['110.70.1.1', { asn: 4766, is_mobile: true }],
  ['77.18.1.1', { asn: 2119, is_mobile: true }],
  ['107.80.1.1', { is_mobile: true }],
  ['2600:380:9000::1', { asn: 7018, is_mobile: true }],
  ['223.104.3.1', { is_mobile: true }],
  ['5.90.142.135', { asn: 30722, is_mobile: true }],
  ['77.136.80.128', { asn: 15557, is_mobile: true }],
  ['2401:4900:f000::1', { asn: 55557, is_mobile: true }],
  // Homes of operators whose phones are listed.
  ['5.89.66.224', { asn: 30722, is_residential: true }],
  ['37.182.35.120', { asn: 30722, is_residential: true }],
  ['2401:4900:1c00::1', { asn: 24560, is_residential: true }],
  ['84.150.1.1', { asn: 3320, is_residential: true }],
  ['93.104.1.1', { is_mobile: false }],
  ['85.176.1.1', { asn: 6805, is_residential: true }],
  ['88.64.1.1', { asn: 3209, is_residential: true }],
  ['81.154.1.1', { asn: 2856, is_residential: true }],
  ['86.202.1.1', { asn: 3215, is_residential: true }],
  ['112.160.1.1', { asn: 4766, is_residential: true }],
  ['84.208.1.1', { is_mobile: false }],
  ['83.251.1.1', { is_mobile: false }],
  ['76.192.1.1', { asn: 7018, is_residential: true }],
  ['99.224.1.1', { asn: 812, is_residential: true }],
  ['61.9.128.1', { asn: 1221, is_residential: true }],
  ['81.240.1.1', { asn: 5432, is_residential: true }],
  ['2606:4700:4700::1111', { asn: 13335, rir: 'ARIN', cloud_provider: 'Cloudflare' }],
  ['185.220.101.1', { is_tor_exit: true }],
  ['91.217.249.42', { asn: 206092, is_vpn: true }],
  ['34.64.0.1', { asn: 396982, cloud_provider: 'Google Cloud' }],
  ['35.208.0.1', { asn: 15169, cloud_provider: 'Google Cloud' }],
  ['142.250.1.1', { asn: 15169, is_datacenter: true, cloud_provider: undefined }],
  ['40.92.1.1', { asn: 8075, is_datacenter: true, cloud_provider: undefined }],
  ['2603:1016::1', { asn: 8075, is_datacenter: true, cloud_provider: undefined }],
  ['66.249.66.1', { cloud_provider: undefined, is_ai_crawler: false, is_datacenter: true }],
  ['20.171.206.1', { ai_company: 'OpenAI', cloud_provider: 'Azure' }],
] as const) {
  test(`embedded dataset: ${ip}`, () => {
    const address = parseAddress(ip);
    assert.ok(address);
    const record = dataset.record(address, dataset.find(address));
    const flat: Record<string, unknown> = { ...record, ...record.detection, ...record.threat };
    assert.deepEqual(Object.fromEntries(Object.keys(want).map((key) => [key, flat[key]])), want);
  });
}

test('embedded dataset: the file is at most 25 MB', () =>
  assert.ok(file.length <= 25e6, `${file.length} bytes`));
