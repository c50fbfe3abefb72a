/**
 * Why there is no data about an address or a prefix: a special-purpose range with its RFC, or that
 * it is not announced.
 */
import { Link } from '@tanstack/react-router';
import { Notice } from './Notice.tsx';

type SpecialPurpose = { readonly prefix: string; readonly name: string; readonly rfc?: string };

export function NoData({
  subject,
  special,
}: {
  subject: string;
  special: SpecialPurpose | undefined;
}) {
  if (special !== undefined)
    return (
      <Notice title={`${subject} is not on the public internet`}>
        <p>
          <span className="mono">{special.prefix}</span> is reserved: {special.name}
          {special.rfc === undefined ? '' : ` (${special.rfc})`}. No network announces it, so there
          is no data about it.
        </p>
      </Notice>
    );
  return (
    <Notice title={`No network announces ${subject}`}>
      <p>
        It is unassigned, unused, or was first announced after the dataset was built. See the{' '}
        <Link to="/data">age of the data</Link>.
      </p>
    </Notice>
  );
}
