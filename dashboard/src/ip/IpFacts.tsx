import { Link } from '@tanstack/react-router';
import type { IpRecord } from '@whence/client/wire';
import { Copyable } from '../copy/Copyable.tsx';
import { countryName } from '../format/country.ts';
import { Facts } from '../parts/Facts.tsx';

export function IpFacts({ record, version }: { record: IpRecord; version: number }) {
  const { prefix, asn, asn_name, country, rir, connection_type, detection } = record;
  return (
    <Facts
      facts={[
        {
          name: 'Prefix',
          value: (
            <Link to="/prefix/$" params={{ _splat: prefix }} className="mono">
              {prefix}
            </Link>
          ),
        },
        {
          name: 'Network',
          value: (
            <>
              <Link to="/asn/$asn" params={{ asn: String(asn) }}>
                AS{asn}
              </Link>{' '}
              <Copyable text={asn_name} />
            </>
          ),
        },
        { name: 'Country', value: country === 'ZZ' ? 'unknown' : `${countryName(country)} (${country})` },
        { name: 'Registry', value: rir },
        { name: 'Connection', value: connection_type },
        ...(detection.cloud_provider === undefined ? [] : [{ name: 'Cloud', value: detection.cloud_provider }]),
        ...(detection.ai_company === undefined ? [] : [{ name: 'AI company', value: detection.ai_company }]),
        { name: 'Dataset', value: <Link to="/data">version {version}</Link> },
      ]}
    />
  );
}
