/** Accounts, sessions and one-time links as the dashboard shows them. */
import type { describeOpenLink } from '../../accounts/one-time-links.ts';
import type { Permission, Role } from '../../vocabulary.ts';
import type { TierInfo } from './keys.ts';

type Account = { id: string; name: string; role: Role; created_at: string };

export type SessionState = SignedOut | SignedIn;
export type SignedOut = {
  state: 'signed_out';
  /**
   * False as long as there is no account: the first is made with the link that `wh user setup-link`
   * prints.
   */
  has_accounts: boolean;
  /**
   * WHENCE_PUBLIC_LOOKUPS: addresses, prefixes, networks and domains may be looked up without an
   * account.
   */
  has_public_lookups: boolean;
  /** Another way to sign in: a link to follow, with the name of the provider. */
  provider?: { label: string; path: string };
};
export type SignedIn = {
  state: 'signed_in';
  account: Account;
  csrf_token: string;
  /** The session ends then at the latest. */
  expires_at: string;
  /** Without a password (an account of the provider), the password cannot be changed here. */
  has_password: boolean;
  /** Tiers this account may give to a key. */
  tiers: TierInfo[];
  permissions: Permission[];
  lookups_per_day: number;
  max_batch: number;
  server_version: string;
};

export type LinkKind = OpenLink['kind'];
export type LinkState = {
  kind: LinkKind;
  role: Role;
  /** Name of the account whose password is set; absent where a name has to be chosen. */
  name?: string;
  /** Whether the page asks if public lists may be fetched every day. */
  asks_for_updates?: true;
  expires_at: string;
};
/** Shown once. `path` belongs behind the origin of the page. */
export type OneTimeLink = { path: string; expires_at: string };

export type OpenSession = {
  id: string;
  is_current: boolean;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  address: string;
  user_agent: string;
};

export type Person = Account & {
  is_disabled: boolean;
  has_password: boolean;
  /** Whose reports the account may read; empty for all. */
  allowed_domains: string[];
  last_sign_in_at?: string;
  active_keys: number;
};
/** A one-time link that was not used yet. The link itself is not shown again. */
export type OpenLink = ReturnType<typeof describeOpenLink>;
