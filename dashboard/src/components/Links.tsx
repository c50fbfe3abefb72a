/** Links to the pages of addresses, prefixes, networks and keys. */
import { Link } from '@tanstack/react-router';
import type { Permission } from '@whence/server/vocabulary';
import type { ReactNode } from 'react';
import { QuietButton } from './Buttons.tsx';

/**
 * `preload` is false in virtual lists, where moving the pointer would load one page after another.
 */
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
    <Link to="/keys/$id" params={{ id }}>
      {name}
    </Link>
  );
}

/** Opens the dialog for a new key, with this permission. */
export function CreateKeyLink({ permission }: { permission?: Permission }) {
  const search = { create: 'yes', ...(permission && { permission }) } as const;
  return (
    <QuietButton
      text="Create a key"
      renderRoot={(props) => <Link to="/keys" search={search} {...props} />}
    />
  );
}
