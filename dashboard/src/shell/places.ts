/** The places of the rail and of the bar at the bottom, with the role each needs. */
import {
  IconChartBar,
  IconDatabase,
  IconHeartbeat,
  IconHistory,
  IconHome,
  IconKey,
  IconListSearch,
  IconServerCog,
  IconSettings,
  IconUser,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Role } from '@whence/server/dashboard-wire';

export type Place = {
  readonly path: string;
  readonly name: string;
  readonly icon: TablerIcon;
  readonly role: Role;
  readonly about?: string;
};

export const MAIN_PLACES: readonly Place[] = [
  { path: '/', name: 'Overview', icon: IconHome, role: 'viewer' },
  { path: '/batch', name: 'Batch', icon: IconListSearch, role: 'viewer' },
  { path: '/usage', name: 'Usage', icon: IconChartBar, role: 'viewer' },
  { path: '/data', name: 'Data', icon: IconDatabase, role: 'viewer' },
];

export const SETTINGS_PLACE: Place = { path: '/settings', name: 'Settings', icon: IconSettings, role: 'viewer' };

export const SETTINGS_PLACES: readonly Place[] = [
  {
    path: '/settings/keys',
    name: 'API keys',
    icon: IconKey,
    role: 'member',
    about: 'Create, watch, rotate and revoke the keys that programs use.',
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
    about: 'Who did what to which key, account or dataset.',
  },
  {
    path: '/settings/health',
    name: 'Health',
    icon: IconHeartbeat,
    role: 'admin',
    about: 'Processes, memory, storage, update schedule.',
  },
  {
    path: '/settings/server',
    name: 'Server',
    icon: IconServerCog,
    role: 'admin',
    about: 'The settings in force, and where each comes from.',
  },
];
