/** The audit log as a table. */

import type { AuditEntry } from '@whence/server/dashboard-wire/operation';
import { type AuditAction, PERMISSIONS } from '@whence/server/vocabulary';
import { KeyLink } from '../components/Links.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { PERMISSION_WORDS } from '../format/names.ts';
import { Time } from '../format/Time.tsx';
import { exactUtc } from '../format/time.ts';
import classes from './AuditPage.module.css';

export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  'account.setup_link_made': 'created a link to set up Whence',
  'account.set_up': 'set up Whence',
  'account.invited': 'invited a person',
  'account.link_revoked': 'revoked a one-time link',
  'account.joined': 'joined',
  'account.created': 'created an account',
  'account.signed_in': 'signed in',
  'account.sign_in_failed': 'failed to sign in',
  'account.signed_out': 'signed out',
  'account.signed_out_everywhere': 'signed out everywhere',
  'account.session_ended': 'ended a session',
  'account.password_changed': 'changed the password',
  'account.reset_link_made': 'created a password reset link',
  'account.password_reset': 'reset a password',
  'account.role_changed': 'changed a role',
  'account.domains_changed': 'changed the domains of an account',
  'account.disabled': 'disabled an account',
  'account.enabled': 'enabled an account',
  'key.created': 'created a key',
  'key.rotated': 'rotated a key',
  'key.revoked': 'revoked a key',
  'key.renamed': 'renamed a key',
  'key.note_changed': 'changed the note of a key',
  'key.tier_changed': 'changed the tier of a key',
  'key.permissions_changed': 'changed the permissions of a key',
  'key.paused': 'paused a key',
  'key.resumed': 'resumed a key',
  'key.expiry_changed': 'changed when a key expires',
  'key.networks_changed': 'changed the networks of a key',
  'key.domains_changed': 'changed the domains of a key',
  'key.rate_changed': 'changed the requests per second of a key',
  'key.limit_changed': 'changed the daily limit of a key',
  'key.revocation_scheduled': 'scheduled the revocation of a key',
  'key.revocation_cancelled': 'cancelled the revocation of a key',
  'key.limit_near': 'a key has used 80% of its daily limit',
  'key.limit_reached': 'a key has used all of its daily limit',
  'dataset.version_used': 'changed the dataset version in use',
  'dataset.update_started': 'started a dataset update',
  'dataset.updates_chosen': 'decided whether public lists are fetched every day',
  'domain.sender_decided': 'decided about a sender of a domain',
  'domain.watched': 'began to watch domains',
  'domain.unwatched': 'stopped watching domains',
  'domain.event_accepted': 'accepted an event of a domain',
  'channel.created': 'created a channel of alerts',
  'channel.changed': 'changed a channel of alerts',
  'channel.deleted': 'deleted a channel of alerts',
  'channel.confirmed': 'confirmed a channel of alerts',
};

/** `withTarget` is false on the page of the target itself. */
const columnsOf = (withTarget: boolean): Column<AuditEntry>[] => [
  { name: 'When', cell: ({ at }) => <Time at={at} /> },
  {
    name: 'Who',
    isText: true,
    cell: ({ actor }) => <div className={classes['name']}>{actor}</div>,
  },
  {
    name: 'Action',
    isText: true,
    cell: (entry) => (
      <div className={classes['action']}>
        {ACTION_WORDS[entry.action]}
        {withTarget && <Target entry={entry} />}
      </div>
    ),
  },
  {
    name: 'Details',
    isText: true,
    cell: ({ details }) =>
      details !== undefined && <div className={classes['details']}>{detailWords(details)}</div>,
  },
  {
    name: 'From',
    cell: ({ address }) => (address === undefined ? '' : <span className="mono">{address}</span>),
  },
];

const detailWords = (details: Readonly<Record<string, string>>) =>
  Object.entries(details)
    .map(
      ([name, value]) =>
        `${name.replace('_', ' ')}: ${isTime(value) ? exactUtc(value) : permissionWords(value)}`,
    )
    .join('; ');

/** The names of permissions, where the value lists them; otherwise the value itself. */
function permissionWords(value: string): string {
  const listed = PERMISSIONS.filter((permission) => value.split(' ').includes(permission));
  if (listed.join(' ').length !== value.length) return value;
  return listed.map((permission) => PERMISSION_WORDS[permission].name).join(', ');
}

const isTime = (text: string) => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text);

export function AuditTable({
  entries,
  withTarget = true,
}: {
  entries: readonly AuditEntry[];
  withTarget?: boolean;
}) {
  return (
    <Table
      isStacked
      label="Audit log"
      columns={columnsOf(withTarget)}
      rows={entries}
      rowKey={({ id }) => id}
    />
  );
}

/** Not repeated where people act on their own account. */
function Target({ entry: { actor, target_kind, target_id, target } }: { entry: AuditEntry }) {
  const name = target ?? target_id ?? '';
  if (name === '' || name === actor) return null;
  return (
    <>
      :{' '}
      {target_kind === 'key' && target_id !== undefined ? (
        <KeyLink id={target_id} name={name} />
      ) : (
        `${target_kind === 'dataset' ? 'dataset ' : ''}${name}`
      )}
    </>
  );
}
