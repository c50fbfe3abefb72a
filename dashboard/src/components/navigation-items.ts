/** The pages of the sidebar and of the settings, with the role that each needs. */

import type { Role } from '@whence/server/vocabulary';
import {
  IconAt,
  IconBook2,
  IconChartBar,
  type IconComponent,
  IconDatabase,
  IconDeviceDesktop,
  IconHistory,
  IconHome,
  IconKey,
  IconListSearch,
  IconMoon,
  IconServerCog,
  IconSettings,
  IconShieldCheck,
  IconSun,
  IconUser,
  IconUsers,
} from './icons.tsx';

export type NavigationItem = {
  readonly path: string;
  readonly name: string;
  readonly icon: IconComponent;
  readonly role: Role;
  readonly about?: string;
  /** On narrow screens it is among the settings: the bar at the bottom has no room for it. */
  readonly isWide?: boolean;
};

export const MAIN_ITEMS: readonly NavigationItem[] = [
  { path: '/', name: 'Overview', icon: IconHome, role: 'viewer' },
  { path: '/batch', name: 'Batch', icon: IconListSearch, role: 'viewer' },
  { path: '/domains', name: 'Domains', icon: IconAt, role: 'viewer' },
  {
    path: '/rules',
    name: 'Rules',
    icon: IconShieldCheck,
    role: 'viewer',
    about: 'Which requests your proxy lets through, and what matched today.',
    isWide: true,
  },
  { path: '/usage', name: 'Usage', icon: IconChartBar, role: 'viewer' },
  { path: '/data', name: 'Data', icon: IconDatabase, role: 'viewer' },
];

export const REFERENCE_ITEM: NavigationItem = {
  path: '/docs',
  name: 'API reference',
  icon: IconBook2,
  role: 'viewer',
};

export const SETTINGS_ITEM: NavigationItem = {
  path: '/settings',
  name: 'Settings',
  icon: IconSettings,
  role: 'viewer',
};

export const SETTINGS_ITEMS: readonly NavigationItem[] = [
  {
    path: '/settings/keys',
    name: 'API keys',
    icon: IconKey,
    role: 'member',
    about: 'Create, monitor, rotate and revoke the keys that programs use.',
  },
  {
    path: '/settings/account',
    name: 'Account',
    icon: IconUser,
    role: 'viewer',
    about: 'Your password, and where you are signed in.',
  },
  { path: '/settings/people', name: 'People', icon: IconUsers, role: 'admin', about: 'Accounts, roles, invitations.' },
  {
    path: '/settings/audit',
    name: 'Audit',
    icon: IconHistory,
    role: 'admin',
    about: 'Who changed which key, account or dataset, and when.',
  },
  {
    path: '/settings/server',
    name: 'Server',
    icon: IconServerCog,
    role: 'admin',
    about: 'Processes, memory and storage, and the settings in effect.',
  },
];

export const THEMES = [
  { value: 'light', name: 'Light', icon: IconSun },
  { value: 'dark', name: 'Dark', icon: IconMoon },
  { value: 'auto', name: 'System', icon: IconDeviceDesktop },
] as const;
