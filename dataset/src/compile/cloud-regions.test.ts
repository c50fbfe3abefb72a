import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { labelledNetworks } from '../data-files/data-files.ts';
import type { PrefixList } from '../feeds/parsed.ts';
import {
  parseAwsJson,
  parseAzureTags,
  parseGoogleJson,
  parseOciJson,
} from '../feeds/sources/prefixes/json-lists.ts';
import { type Content, fileContent } from '../io/content.ts';
import { countryOfRegion } from './live.ts';

for (const [provider, region, want] of [
  ['AWS', 'eu-central-1', 'DE'],
  ['AWS', 'us-gov-west-1', 'US'],
  ['AWS', 'cn-northwest-1', 'CN'],
  ['AWS', 'eusc-de-east-1', 'DE'],
  ['AWS', 'us-east-1-bue-1', 'AR'],
  ['AWS', 'us-east-1-chi-2', 'US'],
  ['AWS', 'us-east-1-wl1-nyc-wlz-1', 'US'],
  ['AWS', 'eu-north-1-cph-1', 'DK'],
  ['AWS', 'us-gov-west-1-xyz-1', 'US'],
  ['AWS', 'us-east-9', undefined],
  ['AWS', 'GLOBAL', undefined],
  ['AWS', '', undefined],
  ['Azure', 'westeurope', 'NL'],
  ['Azure', 'northeurope', 'IE'],
  ['Azure', 'eastasia', 'HK'],
  ['Azure', 'southeastasia', 'SG'],
  ['Azure', 'brazilse', 'BR'],
  ['Azure', 'usstagec', 'US'],
  ['Azure', 'constructor', undefined],
  ['Google Cloud', 'europe-west12', 'IT'],
  ['Google Cloud', 'global', undefined],
  ['Oracle Cloud', 'eu-jovanovac-1', 'RS'],
  ['Oracle Cloud', 'eu-central-1', undefined],
  ['Hetzner', 'eu-central', undefined],
  ['__proto__', 'x', undefined],
] as const) {
  test(`cloud-regions: ${provider} ${region} is ${want ?? 'unknown'}`, () => {
    assert.equal(countryOfRegion(provider, region), want);
  });
}

for (const [provider, file, parse, unplaced] of [
  ['AWS', 'cloud/aws-ip-ranges.json', parseAwsJson, ['', 'me-west-1']],
  ['Azure', 'cloud/azure-ServiceTags_Public.json', parseAzureTags, ['', 'northeurope2']],
  ['Google Cloud', 'cloud/gcp-cloud.json', parseGoogleJson, ['global']],
  ['Oracle Cloud', 'cloud/oracle-public_ip_ranges.json', parseOciJson, []],
] as const satisfies readonly (readonly [
  string,
  string,
  (content: Content) => PrefixList,
  readonly string[],
])[]) {
  const path = fixture(file);
  test(`cloud-regions: every region in the list of ${provider}`, {
    skip: path === undefined && NO_FIXTURES,
  }, () => {
    assert.ok(labelledNetworks.rows.some((row) => row.cloud_provider === provider));
    const { labels } = parse(fileContent(path as string));
    const missing = labels.filter((label) => countryOfRegion(provider, label) === undefined);
    assert.deepEqual(missing.sort(), unplaced);
  });
}
