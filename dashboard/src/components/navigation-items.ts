/** The pages of the sidebar and of the settings, with the role that each needs. */

import type { Role } from '@whence/server/vocabulary';
import type { IconName } from './icons.tsx';

export type NavigationItem = {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly role: Role;
  readonly about?: string;
  /** On narrow screens it is among the settings: the bar at the bottom has no room for it. */
  readonly isWide?: boolean;
};

export const MAIN_ITEMS: readonly NavigationItem[] = [
  { path: '/', name: 'Overview', icon: 'home', role: 'viewer' },
  { path: '/batch', name: 'Batch', icon: 'list-search', role: 'viewer' },
  { path: '/domains', name: 'Domains', icon: 'at', role: 'viewer' },
  {
    path: '/rules',
    name: 'Rules',
    icon: 'shield-check',
    role: 'viewer',
    about: 'Which requests your proxy lets through, and what matched today.',
    isWide: true,
  },
  { path: '/usage', name: 'Usage', icon: 'chart-bar', role: 'viewer' },
  { path: '/data', name: 'Data', icon: 'database', role: 'viewer' },
];

export const REFERENCE_ITEM: NavigationItem = {
  path: '/docs',
  name: 'API reference',
  icon: 'book-2',
  role: 'viewer',
};

export const SETTINGS_ITEM: NavigationItem = {
  path: '/settings',
  name: 'Settings',
  icon: 'settings',
  role: 'viewer',
};

export const SETTINGS_ITEMS: readonly NavigationItem[] = [
  {
    path: '/settings/keys',
    name: 'API keys',
    icon: 'key',
    role: 'member',
    about: 'Create, monitor, rotate and revoke the keys that programs use.',
  },
  {
    path: '/settings/account',
    name: 'Account',
    icon: 'user',
    role: 'viewer',
    about: 'Your password, and where you are signed in.',
  },
  { path: '/settings/people', name: 'People', icon: 'users', role: 'admin', about: 'Accounts, roles, invitations.' },
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
