/** Actions of the audit log in words: subject left out, as in "anna created the key …". */
import type { AuditAction } from '@whence/server/dashboard-wire';

export const auditActions: Readonly<Record<AuditAction, string>> = {
  'account.set_up': 'set up Whence',
  'account.invited': 'invited a person',
  'account.invitation_withdrawn': 'withdrew an invitation',
  'account.joined': 'joined',
  'account.created': 'created an account',
  'account.signed_in': 'signed in',
  'account.sign_in_failed': 'failed to sign in',
  'account.signed_out': 'signed out',
  'account.signed_out_everywhere': 'signed out everywhere',
  'account.session_ended': 'ended a session',
  'account.password_changed': 'changed the password',
  'account.reset_link_made': 'made a link to reset a password',
  'account.password_reset': 'reset a password',
  'account.role_changed': 'changed a role',
  'account.disabled': 'disabled an account',
  'account.enabled': 'enabled an account',
  'key.created': 'created a key',
  'key.rotated': 'rotated a key',
  'key.revoked': 'revoked a key',
  'dataset.version_used': 'changed the dataset version in use',
  'dataset.update_started': 'started a dataset update',
};
