/**
 * The hostname of an address. It is asked of DNS when a person wants it, because the operator of the reverse zone of the
 * address can see the question.
 */
import { Button } from '@mantine/core';
import { IconCheck, IconRobot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Hostname } from '@whence/client/wire';
import { answerQuery } from '../api/query-client.ts';
import { Copyable } from '../components/Copy.tsx';
import { explainFailure } from '../components/Failures.tsx';
import { Tag } from '../components/Tag.tsx';
import { Time } from '../format/Time.tsx';
import classes from './IpSections.module.css';
import { type AskProps, ON_REQUEST } from './on-request.ts';

export function HostnameValue({ ip, isAsked, onAsk }: AskProps) {
  const lookup = useQuery({ ...answerQuery('lookUpHostname', { params: { ip } }), ...ON_REQUEST, enabled: isAsked });
  if (!isAsked) {
    return (
      <span className={classes['asked']}>
        <span className="quiet">not looked up</span>
        <Button className="no-print" variant="default" size="compact-xs" onClick={onAsk}>
          Ask DNS
        </Button>
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
        <Button className="no-print" variant="default" size="compact-xs" onClick={() => void lookup.refetch()}>
          Ask again
        </Button>
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
      {is_confirmed === true && (
        <Tag icon={IconCheck} tone="good">
          leads back to the address
        </Tag>
      )}
      {is_confirmed === false && crawler === undefined && <Tag tone="warn">does not lead back to the address</Tag>}
      {crawler?.is_verified === true && (
        <Tag icon={IconRobot} tone="accent">
          {crawler.name}, verified
        </Tag>
      )}
      {crawler?.is_verified === false && (
        <Tag icon={IconRobot} tone="bad">
          forged name of {crawler.name}
        </Tag>
      )}
      {error !== undefined && <span className="quiet">not confirmed: DNS did not answer for the name</span>}
    </>
  );
}
