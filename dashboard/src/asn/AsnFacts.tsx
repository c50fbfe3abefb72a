import type { AsnRecord } from '@whence/client/wire';
import { countryName } from '../format/country.ts';
import { formatNumber } from '../format/number.ts';
import { Facts } from '../parts/Facts.tsx';

export function AsnFacts({ record }: { record: AsnRecord }) {
  const { country, rir, connection_type, is_announced, address_count, handle, registered, cloud_provider } = record;
  return (
    <Facts
      facts={[
        { name: 'Country', value: country === 'ZZ' ? 'unknown' : `${countryName(country)} (${country})` },
        { name: 'Registry', value: rir },
        { name: 'Type', value: connection_type },
        { name: 'Announced', value: is_announced ? 'yes' : 'no prefix in this dataset' },
        { name: 'IPv4 addresses', value: formatNumber(address_count.ipv4) },
        ...(handle === undefined ? [] : [{ name: 'Handle', value: <span className="mono">{handle}</span> }]),
        ...(registered === undefined ? [] : [{ name: 'Registered', value: registered }]),
        ...(cloud_provider === undefined ? [] : [{ name: 'Cloud', value: cloud_provider }]),
      ]}
    />
  );
}
