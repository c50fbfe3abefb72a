/**
 * The hostname of an address, looked up only on request, because the operator of the reverse zone
 * can see the query. In the address bar as `include=hostname`.
 */
import type { Hostname } from '@whence/client/wire';
import { useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { Copyable } from '../components/Copy.tsx';
import { explainFailure } from '../components/Failures.tsx';
import { Tag } from '../components/Tag.tsx';
import { Time } from '../format/Time.tsx';
import classes from './IpSections.module.css';

/** Asked once: not again when the window gets the focus, and without automatic retries. */
const ON_REQUEST = {
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  retry: false,
} as const;

type HostnameProps = { ip: string; isAsked: boolean; onAsk: () => void };

export function HostnameValue({ ip, isAsked, onAsk }: HostnameProps) {
  const lookup = useAnswer(
    'lookUpHostname',
    { params: { ip } },
    { ...ON_REQUEST, enabled: isAsked },
  );
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
      {answer === undefined ? (
        explainFailure(lookup.error).title
      ) : (
        <Name hostname={answer.hostname} />
      )}
      {hasFailed && (
        <QuietButton
          className="no-print"
          size="compact-xs"
          text="Ask again"
          onClick={() => void lookup.refetch()}
        />
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
      {is_confirmed === false && crawler === undefined && (
        <Tag tone="warn" text="does not lead back to the address" />
      )}
      {crawler?.is_verified === true && (
        <Tag icon="robot" tone="accent" text={`${crawler.name}, verified`} />
      )}
      {crawler?.is_verified === false && (
        <Tag icon="robot" tone="bad" text={`forged name of ${crawler.name}`} />
      )}
      {error !== undefined && (
        <span className="quiet">not confirmed: DNS did not answer for the name</span>
      )}
    </>
  );
}
