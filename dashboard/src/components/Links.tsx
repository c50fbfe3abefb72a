/** Links to the pages of networks and prefixes. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** `preload` is false in virtual lists, where moving the pointer would load one page after another. */
type Preload = { preload?: false };

/** The AS number as a link, followed by the name of the network. */
export function NetworkLink({ asn, name, ...preload }: { asn: number; name: ReactNode } & Preload) {
  return (
    <>
      <Link to="/asn/$asn" params={{ asn: String(asn) }} {...preload}>
        AS{asn}
      </Link>{' '}
      {name}
    </>
  );
}

export function PrefixLink({ prefix, ...preload }: { prefix: string } & Preload) {
  return (
    <Link to="/prefix/$" params={{ _splat: prefix }} className="mono" {...preload}>
      {prefix}
    </Link>
  );
}
