/** Links to the pages of addresses, prefixes, networks and keys. */
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

export function AddressLink({ ip, ...preload }: { ip: string } & Preload) {
  return (
    <Link to="/ip/$ip" params={{ ip }} className="mono" {...preload}>
      {ip}
    </Link>
  );
}

export function KeyLink({ id, name }: { id: string; name: string }) {
  return (
    <Link to="/settings/keys/$id" params={{ id }}>
      {name}
    </Link>
  );
}
