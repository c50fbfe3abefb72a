/**
 * What is asked of other servers only on request: the holder of an address, which its registry knows, and its hostname,
 * because the operator of the reverse zone can see the question. In the address bar as `include=hostname,registration`.
 */
import type { Hostname, Registration } from '@whence/client/wire';
import { useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { Copyable, CopyButton } from '../components/Copy.tsx';
import { Facts } from '../components/Facts.tsx';
import { explainFailure } from '../components/Failures.tsx';
import { PrefixLink } from '../components/Links.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Section } from '../components/Page.tsx';
import { Tag } from '../components/Tag.tsx';
import { longDay } from '../format/data-age.ts';
import { countryName } from '../format/names.ts';
import { Time, useNow } from '../format/Time.tsx';
import classes from './IpSections.module.css';

export type AskProps = { ip: string; isAsked: boolean; onAsk: () => void };

/** Asked once: not again when the window gets the focus, and without automatic retries. */
const ON_REQUEST = {
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  retry: false,
} as const;

export function RegistrationSection({ ip, isAsked, onAsk }: AskProps) {
  const lookup = useAnswer('lookUpRegistration', { params: { ip } }, { ...ON_REQUEST, enabled: isAsked });
  if (!isAsked) {
    return (
      <Section title="Registration" className="no-print">
        <p className={classes['asked']}>
          <QuietButton text="Ask the registry" onClick={onAsk} />
          <span className="quiet">Holder and abuse contact. The address is sent to its registry.</span>
        </p>
      </Section>
    );
  }
  return (
    <Section title="Registration">
      <Loaded query={lookup} lines={5}>
        {({ data }) =>
          data.registration === undefined ? (
            <p>The registry has no registration for this address.</p>
          ) : data.registration.error === undefined ? (
            <RegistrationFacts registration={data.registration} askedAt={data.asked_at} />
          ) : (
            <p className={classes['asked']} role="status">
              {lookup.isFetching ? 'Asking the registry…' : 'The registry did not answer.'}
              <QuietButton
                className="no-print"
                text="Ask again"
                disabled={lookup.isFetching}
                onClick={() => void lookup.refetch()}
              />
            </p>
          )
        }
      </Loaded>
    </Section>
  );
}

function RegistrationFacts({ registration, askedAt }: { registration: Registration; askedAt: string }) {
  const now = useNow();
  const { range, name, organization, country, abuse_email, registered_at, changed_at, source } = registration;
  return (
    <Facts
      facts={{
        Holder: organization,
        'Abuse contact': abuse_email && (
          <>
            <a href={`mailto:${abuse_email}`}>{abuse_email}</a>{' '}
            <CopyButton text={abuse_email} label="Copy abuse contact" />
          </>
        ),
        // A prefix has a page; `first-last` has none.
        Range: range && (range.includes('/') ? <PrefixLink prefix={range} /> : <Copyable text={range} isMono />),
        Name: name && <Copyable text={name} isMono />,
        Country: country && `${countryName(country)} (${country})`,
        Registered: registered_at && longDay(registered_at.slice(0, 10), now),
        'Last changed': changed_at && longDay(changed_at.slice(0, 10), now),
        Source: (
          <>
            {source ?? 'the registry'}{' '}
            <span className="quiet">
              · asked <Time at={askedAt} />, or up to a day before
            </span>
          </>
        ),
      }}
    />
  );
}

export function HostnameValue({ ip, isAsked, onAsk }: AskProps) {
  const lookup = useAnswer('lookUpHostname', { params: { ip } }, { ...ON_REQUEST, enabled: isAsked });
  if (!isAsked) {
    return (
      <span className={classes['asked']}>
        <span className="quiet">not looked up</span>
        <QuietButton className="no-print" size="compact-xs" text="Ask DNS" onClick={onAsk} />
      </span>
    );
  }
  if (lookup.isFetching) return <span role="status">Asking DNS…</span>;
  const answer = lookup.data?.data;
  const hasFailed = answer === undefined || answer.hostname.error !== undefined;
  return (
    <span className={classes['asked']}>
      {answer === undefined ? explainFailure(lookup.error).title : <Name hostname={answer.hostname} />}
      {hasFailed && (
        <QuietButton className="no-print" size="compact-xs" text="Ask again" onClick={() => void lookup.refetch()} />
      )}
      {answer !== undefined && (
        <span className="quiet">
          DNS, <Time at={answer.asked_at} />
        </span>
      )}
    </span>
  );
}

function Name({ hostname: { name, is_confirmed, crawler, error } }: { hostname: Hostname }) {
  if (name === undefined) return error === undefined ? 'no PTR record' : 'DNS did not answer';
  return (
    <>
      <Copyable text={name} isMono />
      {is_confirmed === true && <Tag icon="check" tone="good" text="leads back to the address" />}
      {is_confirmed === false && crawler === undefined && <Tag tone="warn" text="does not lead back to the address" />}
      {crawler?.is_verified === true && <Tag icon="robot" tone="accent" text={`${crawler.name}, verified`} />}
      {crawler?.is_verified === false && <Tag icon="robot" tone="bad" text={`forged name of ${crawler.name}`} />}
      {error !== undefined && <span className="quiet">not confirmed: DNS did not answer for the name</span>}
    </>
  );
}
