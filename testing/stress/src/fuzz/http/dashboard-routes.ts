/**
 * The routes of the dashboard with values that they take, written down a second time on purpose: a
 * role that changes in the server must not change here with it. Starting an update is left out,
 * because it builds a dataset.
 */
import { ACCOUNT_ID, KEY_ID } from './secrets.ts';

export type DashboardRoute = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly access: 'public' | 'viewer' | 'member' | 'admin';
  readonly samples?: Readonly<Record<string, readonly string[]>>;
  /** `name=value`. */
  readonly query?: readonly string[];
  /** Fields as JSON text. */
  readonly body?: Readonly<Record<string, string>>;
  readonly endsSessions?: boolean;
};

export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  { method: 'GET', path: '/dashboard/api/session', access: 'public' },
  {
    method: 'POST',
    path: '/dashboard/api/session',
    access: 'public',
    body: { name: '"fuzz"', password: '"not the right one"' },
  },
  { method: 'DELETE', path: '/dashboard/api/session', access: 'viewer', endsSessions: true },
  {
    method: 'POST',
    path: '/dashboard/api/links/check',
    access: 'public',
    body: { token: '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"' },
  },
  {
    method: 'POST',
    path: '/dashboard/api/links/redeem',
    access: 'public',
    body: {
      token: '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"',
      password: '"long enough for it"',
      name: '"x"',
    },
  },
  {
    method: 'POST',
    path: '/dashboard/api/account/password',
    access: 'viewer',
    body: { current_password: '"not the right one"', new_password: '"long enough for it"' },
  },
  { method: 'GET', path: '/dashboard/api/account/sessions', access: 'viewer' },
  {
    method: 'DELETE',
    path: '/dashboard/api/account/sessions/:id',
    access: 'viewer',
    endsSessions: true,
  },
  {
    method: 'DELETE',
    path: '/dashboard/api/account/sessions',
    access: 'viewer',
    endsSessions: true,
  },
  { method: 'GET', path: '/dashboard/api/people', access: 'admin' },
  {
    method: 'PATCH',
    path: '/dashboard/api/people/:id',
    access: 'admin',
    body: { role: '"viewer"', is_disabled: 'false' },
    samples: { id: [ACCOUNT_ID] },
  },
  {
    method: 'POST',
    path: '/dashboard/api/people/:id/reset-link',
    access: 'admin',
    samples: { id: [ACCOUNT_ID] },
  },
  { method: 'GET', path: '/dashboard/api/links', access: 'admin' },
  {
    method: 'POST',
    path: '/dashboard/api/invitations',
    access: 'admin',
    body: { role: '"member"', note: '"a note"' },
  },
  { method: 'DELETE', path: '/dashboard/api/links/:id', access: 'admin' },
  {
    method: 'GET',
    path: '/dashboard/api/keys',
    access: 'viewer',
    query: [
      'q=b',
      'status=active',
      'tier=free',
      'permission=ip:read',
      'owner=x',
      'sort=name',
      'order=asc',
      'limit=5',
      'after=x',
    ],
  },
  {
    method: 'POST',
    path: '/dashboard/api/keys',
    access: 'member',
    body: { name: '"made by the fuzzer"', tier: '"free"', permissions: '["ip:read"]' },
  },
  { method: 'GET', path: '/dashboard/api/keys/:id', access: 'viewer', samples: { id: [KEY_ID] } },
  {
    method: 'PATCH',
    path: '/dashboard/api/keys/:id',
    access: 'member',
    body: {
      note: '"a note"',
      expires_at: '"2030-01-01T00:00:00Z"',
      allowed_networks: '["192.0.2.0/24","2001:db8::/32"]',
      requests_per_second: '5',
    },
    samples: { id: [KEY_ID] },
  },
  {
    method: 'POST',
    path: '/dashboard/api/keys/:id/pause',
    access: 'member',
    samples: { id: [KEY_ID] },
  },
  {
    method: 'POST',
    path: '/dashboard/api/keys/:id/resume',
    access: 'member',
    samples: { id: [KEY_ID] },
  },
  {
    method: 'POST',
    path: '/dashboard/api/keys/:id/revoke',
    access: 'member',
    body: { name: '"other"' },
    samples: { id: [KEY_ID] },
  },
  {
    method: 'POST',
    path: '/dashboard/api/keys/:id/rotate',
    access: 'member',
    body: { name: '"rotated"' },
    samples: { id: [KEY_ID] },
  },
  {
    method: 'GET',
    path: '/dashboard/api/keys/:id/audit',
    access: 'viewer',
    samples: { id: [KEY_ID] },
  },
  { method: 'GET', path: '/dashboard/api/overview', access: 'viewer' },
  {
    method: 'GET',
    path: '/dashboard/api/usage',
    access: 'viewer',
    query: ['from=2026-01-01', 'to=2026-01-31', 'by=key', 'key=x'],
  },
  {
    method: 'GET',
    path: '/dashboard/api/usage/export',
    access: 'viewer',
    query: ['format=ndjson', 'from=2026-01-01', 'to=2026-01-31'],
  },
  { method: 'GET', path: '/dashboard/api/traffic', access: 'admin', query: ['hours=48'] },
  {
    method: 'GET',
    path: '/dashboard/api/lookup/ip/:ip',
    access: 'viewer',
    samples: { ip: ['8.8.8.8', '2001:4860::8888'] },
  },
  {
    method: 'GET',
    path: '/dashboard/api/lookup/prefix/:address/:length',
    access: 'viewer',
    samples: { address: ['8.0.0.0', '1.0.0.0', '2001:4860::'], length: ['8', '16', '32'] },
  },
  {
    method: 'GET',
    path: '/dashboard/api/lookup/asn/:asn',
    access: 'viewer',
    samples: { asn: ['15169', 'AS64500'] },
  },
  {
    method: 'GET',
    path: '/dashboard/api/lookup/asn',
    access: 'viewer',
    query: ['q=google', 'limit=5'],
  },
  {
    method: 'GET',
    path: '/dashboard/api/lookup/domain/:domain',
    access: 'viewer',
    query: ['selectors=google', 'include=transport,networks'],
    samples: { domain: ['d1.mail.example'] },
  },
  {
    method: 'POST',
    path: '/dashboard/api/lookup/domain/:domain/try',
    access: 'viewer',
    body: { spf: '"v=spf1 include:d1.mail.example -all"', dmarc: '"v=DMARC1; p=none"' },
    samples: { domain: ['d1.mail.example'] },
  },
  {
    method: 'POST',
    path: '/dashboard/api/lookup/batch',
    access: 'viewer',
    body: { ips: '["8.8.8.8","::1"]' },
  },
  { method: 'GET', path: '/dashboard/api/dataset', access: 'viewer' },
  { method: 'POST', path: '/dashboard/api/dataset/use', access: 'admin', body: { version: '1' } },
  { method: 'GET', path: '/dashboard/api/dataset/update', access: 'viewer' },
  { method: 'GET', path: '/dashboard/api/health', access: 'admin' },
  { method: 'GET', path: '/dashboard/api/settings', access: 'admin' },
  {
    method: 'GET',
    path: '/dashboard/api/audit',
    access: 'admin',
    query: ['action=key.created', 'actor=x', 'target=x', 'before=00000000000000000000', 'limit=5'],
  },
  {
    method: 'GET',
    path: '/dashboard/api/audit/export',
    access: 'admin',
    query: ['format=csv', 'action=key.created', 'before=00000000000000000000'],
  },
];
