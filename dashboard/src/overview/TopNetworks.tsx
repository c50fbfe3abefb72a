import { Link } from '@tanstack/react-router';
import type { TopNetworks as Networks } from '@whence/server/dashboard-wire';
import { Section } from '../parts/Section.tsx';
import { Shares } from '../parts/Shares.tsx';

/** The networks that were asked about, not those that ask. */
export function TopNetworks({ networks: { look_ups, top } }: { networks: Networks }) {
  return (
    <Section
      title="Most looked-up networks"
      note="Of the addresses asked about, since yesterday 00:00 UTC. From a sample where traffic is high."
    >
      {top.length === 0 ? (
        <p className="quiet">No address was looked up since yesterday.</p>
      ) : (
        <Shares
          total={look_ups}
          items={top.map(({ asn, name, look_ups: amount }) => ({
            key: String(asn),
            amount,
            name: (
              <>
                <Link to="/asn/$asn" params={{ asn: String(asn) }}>
                  AS{asn}
                </Link>{' '}
                {name}
              </>
            ),
          }))}
        />
      )}
    </Section>
  );
}
