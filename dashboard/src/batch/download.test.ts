import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCsv, toNdjson, toNftSet } from './download.ts';

const refused = { ip: '192.0.2.1', times: 2, refusal: 'no data, "none"' };

test('batch download: a cell with commas and quotes is quoted', () => {
  const [, line] = toCsv([refused]).split('\r\n');
  assert.match(line ?? '', /^192\.0\.2\.1,2,.*,"no data, ""none"""$/);
});
test('batch download: a cell that begins like a formula is escaped', () => {
  assert.match(toCsv([{ ip: '192.0.2.1', times: 1, refusal: '=1+1' }]), /,'=1\+1\r\n$/);
});
test('batch download: a line of JSON per address', () => {
  assert.equal(toNdjson([refused]), '{"ip":"192.0.2.1","times":2,"error":"no data, \\"none\\""}\n');
});
test('batch download: nft sets by family', () => {
  const text = toNftSet([refused, { ip: '2001:db8::1', times: 1 }]);
  assert.match(
    text,
    /set whence_ipv4 \{\n {2}type ipv4_addr\n {2}elements = \{\n {4}192\.0\.2\.1\n {2}\}\n\}/,
  );
  assert.match(text, /set whence_ipv6 \{\n {2}type ipv6_addr/);
});
test('batch download: no addresses are a CSV file with its head only', () => {
  assert.match(toCsv([]), /^ip,times,prefix,[\w,]+,error\r\n$/);
});

test('batch download: an incomplete score has no level', () => {
  const record = {
    ip: '192.0.2.1',
    prefix: '192.0.2.0/24',
    asn: 64_500,
    asn_name: 'Example',
    country: 'DE',
    connection_type: 'business',
    detection: {
      is_datacenter: false,
      is_tor_exit: false,
      is_proxy: false,
      is_vpn: false,
      is_residential: false,
      is_mobile: false,
      is_ai_crawler: false,
    },
    threat: { score: 15, level: 'low' },
  } as const;
  const { ip } = record;
  const complete = [{ ip, times: 1, record }];
  const incomplete = [{ ip, times: 1, record: { ...record, threat_gap: 'expired_list' } as const }];
  assert.match(toCsv(complete), /,15,low,\r\n$/);
  assert.match(toCsv(incomplete), /,15,,\r\n$/);
  assert.match(toNdjson(incomplete), /"threat":\{"score":15\},"times":1\}/);
});
