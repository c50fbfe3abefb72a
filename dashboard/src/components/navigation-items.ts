/** The six places, and the pages of the settings, with the role that each needs. */

import type { Role } from '@whence/server/vocabulary';
import type { IconName } from './icons.tsx';

export type NavigationItem = {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly role: Role;
  readonly about?: string;
  /** Beginnings of other paths that belong to the place. */
  readonly subjects?: readonly string[];
};

/** The six places. */
export const MAIN_ITEMS: readonly NavigationItem[] = [
  { path: '/', name: 'Home', icon: 'home', role: 'viewer' },
  {
    path: '/lookup',
    name: 'Look up',
    icon: 'search',
    role: 'viewer',
    subjects: ['/ip/', '/prefix/', '/asn'],
  },
  { path: '/mail', name: 'Mail', icon: 'at', role: 'viewer', subjects: ['/domain/'] },
  { path: '/rules', name: 'Rules', icon: 'shield-check', role: 'viewer' },
  { path: '/keys', name: 'Keys', icon: 'key', role: 'viewer' },
  { path: '/data', name: 'Data', icon: 'database', role: 'viewer' },
];

/** The tabs of the place Keys, which are pages of their own. */
export const KEYS_TABS = { '/keys': 'Keys', '/keys/usage': 'Usage' } as const;

export const REFERENCE_ITEM: NavigationItem = {
  path: '/docs',
  name: 'API reference',
  icon: 'book-2',
  role: 'viewer',
  about: 'Every operation of the API, to read and to try.',
};

export const SETTINGS_ITEM: NavigationItem = {
  path: '/settings',
  name: 'Settings',
  icon: 'settings',
  role: 'viewer',
};

export const SETTINGS_ITEMS: readonly NavigationItem[] = [
  {
    path: '/settings/account',
    name: 'Account',
    icon: 'user',
    role: 'viewer',
    about: 'Your password, and where you are signed in.',
  },
  {
    path: '/settings/people',
    name: 'People',
    icon: 'users',
    role: 'admin',
    about: 'Accounts, roles, invitations.',
  },
  {
    path: '/settings/alerts',
    name: 'Alerts',
    icon: 'antenna',
    role: 'admin',
    about: 'Webhooks and email addresses that are told of events of watched domains.',
  },
  {
    path: '/settings/audit',
    name: 'Audit',
    icon: 'history',
    role: 'admin',
    about: 'Who changed which key, account or dataset, and when.',
  },
  {
    path: '/settings/server',
    name: 'Server',
    icon: 'server-cog',
    role: 'admin',
    about: 'Processes, memory and storage, and the settings in effect.',
  },
];

export const THEMES = [
  { value: 'light', name: 'Light', icon: 'sun' },
  { value: 'dark', name: 'Dark', icon: 'moon' },
  { value: 'auto', name: 'System', icon: 'device-desktop' },
] as const;
