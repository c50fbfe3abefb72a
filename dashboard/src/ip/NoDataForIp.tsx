import { Link } from '@tanstack/react-router';
import type { Failure } from '../api/failure.ts';
import { Notice } from '../states/Notice.tsx';

/** No record: a special-purpose range with its RFC, an address that no network announces, or no address at all. */
export function NoDataForIp({ ip, failure }: { ip: string; failure: Failure }) {
  if (failure.code === 'INVALID_IP') {
    return (
      <Notice tone="warn" title={`${ip} is not an IP address`}>
        <p>Write an IPv4 address as four numbers, 192.0.2.1, or an IPv6 address such as 2001:db8::1.</p>
      </Notice>
    );
  }
  const { prefix, name, rfc } = failure.details;
  if (typeof prefix === 'string' && typeof name === 'string') {
    return (
      <Notice title={`${ip} is not on the public internet`}>
        <p>
          It is in <span className="mono">{prefix}</span>: {name}
          {typeof rfc === 'string' ? ` (${rfc})` : ''}. No network announces it, so there is nothing to know about it.
        </p>
      </Notice>
    );
  }
  return (
    <Notice title={`No network announces ${ip}`}>
      <p>
        This dataset has no route to it: the address is unassigned, unused, or announced only since the dataset was
        built. See the <Link to="/data">age of the data</Link>.
      </p>
    </Notice>
  );
}
