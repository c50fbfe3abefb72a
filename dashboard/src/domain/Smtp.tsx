/** What MX hosts say on port 25, which does not affect the score. */
import type { SmtpReport, SmtpServer } from '@whence/client/wire';
import { Facts } from '../components/Facts.tsx';
import { CheckSection, Findings, Remarks } from './CheckSection.tsx';

export function Smtp({ report }: { report: SmtpReport }) {
  const { servers, unprobed, is_blocked, is_valid, validation_errors } = report;
  return (
    <CheckSection
      id="smtp"
      title="MX hosts on port 25"
      state={is_blocked ? 'unverified' : is_valid ? 'valid' : 'invalid'}
    >
      <Remarks errors={validation_errors} />
      {servers.map((server) => (
        <div key={server.address}>
          <h3>
            <span className="mono">{server.host}</span> <span className="quiet mono">{server.address}</span>
          </h3>
          <Facts facts={factsOf(server)} />
          <Findings errors={server.validation_errors} />
        </div>
      ))}
      {unprobed.length > 0 && <p className="quiet">Not connected to: {unprobed.join(', ')}.</p>}
    </CheckSection>
  );
}

function factsOf(server: SmtpServer): Record<string, string | undefined> {
  const { banner_name, banner_addresses, reverse_name, is_reverse_confirmed, address, certificate } = server;
  const { valid_to, issuer, names } = certificate;
  const named = (name: string, isConfirmed: boolean, note: string) => (isConfirmed ? name : `${name}, ${note}`);
  const isGreeting = banner_addresses.includes(address);
  return {
    TLS: server.tls_version || (server.has_starttls ? 'failed' : 'not offered'),
    Certificate: valid_to ? `${names.join(', ')}; until ${valid_to.slice(0, 10)}, from ${issuer}` : undefined,
    DANE: WORDS[server.dane],
    'MTA-STS': WORDS[server.mta_sts],
    'Greets as': banner_name ? named(banner_name, isGreeting, 'which does not have this address') : undefined,
    'Reverse name': reverse_name ? named(reverse_name, is_reverse_confirmed, 'which does not lead back') : 'none',
  };
}

const WORDS = { match: 'the certificate fits', mismatch: 'the certificate does not fit', '': undefined } as const;
