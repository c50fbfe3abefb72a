/**
 * The routes of the server's `dashboard/wire.ts`, as values. The compiler proves the table equal to that one: the pages
 * are built on their own and import only types from the server.
 */
import type { RouteName, routes as serverRoutes } from '@whence/server/dashboard-wire';

export const routes: { readonly [Name in RouteName]: (typeof serverRoutes)[Name] } = {
  getSession: { method: 'GET', path: '/dashboard/api/session' },
  signIn: { method: 'POST', path: '/dashboard/api/session' },
  signOut: { method: 'DELETE', path: '/dashboard/api/session' },
  checkLink: { method: 'POST', path: '/dashboard/api/links/check' },
  redeemLink: { method: 'POST', path: '/dashboard/api/links/redeem' },

  changePassword: { method: 'POST', path: '/dashboard/api/account/password' },
  listSessions: { method: 'GET', path: '/dashboard/api/account/sessions' },
  endSession: { method: 'DELETE', path: '/dashboard/api/account/sessions/:id' },
  endAllSessions: { method: 'DELETE', path: '/dashboard/api/account/sessions' },

  listPeople: { method: 'GET', path: '/dashboard/api/people' },
  changePerson: { method: 'PATCH', path: '/dashboard/api/people/:id' },
  makeResetLink: { method: 'POST', path: '/dashboard/api/people/:id/reset-link' },
  listInvitations: { method: 'GET', path: '/dashboard/api/invitations' },
  invite: { method: 'POST', path: '/dashboard/api/invitations' },
  withdrawInvitation: { method: 'DELETE', path: '/dashboard/api/invitations/:id' },

  listKeys: { method: 'GET', path: '/dashboard/api/keys' },
  createKey: { method: 'POST', path: '/dashboard/api/keys' },
  getKey: { method: 'GET', path: '/dashboard/api/keys/:id' },
  revokeKey: { method: 'POST', path: '/dashboard/api/keys/:id/revoke' },
  rotateKey: { method: 'POST', path: '/dashboard/api/keys/:id/rotate' },
  getKeyUsage: { method: 'GET', path: '/dashboard/api/keys/:id/usage' },
  getKeyAudit: { method: 'GET', path: '/dashboard/api/keys/:id/audit' },

  getOverview: { method: 'GET', path: '/dashboard/api/overview' },
  getUsage: { method: 'GET', path: '/dashboard/api/usage' },
  exportUsage: { method: 'GET', path: '/dashboard/api/usage/export' },
  getTraffic: { method: 'GET', path: '/dashboard/api/traffic' },

  lookUpIp: { method: 'GET', path: '/dashboard/api/lookup/ip/:ip' },
  lookUpPrefix: { method: 'GET', path: '/dashboard/api/lookup/prefix/:address/:length' },
  lookUpAsn: { method: 'GET', path: '/dashboard/api/lookup/asn/:asn' },
  searchAsn: { method: 'GET', path: '/dashboard/api/lookup/asn' },
  checkDomain: { method: 'GET', path: '/dashboard/api/lookup/domain/:domain' },
  lookUpBatch: { method: 'POST', path: '/dashboard/api/lookup/batch' },

  getDataset: { method: 'GET', path: '/dashboard/api/dataset' },
  getDatasetDiff: { method: 'GET', path: '/dashboard/api/dataset/diff' },
  useVersion: { method: 'POST', path: '/dashboard/api/dataset/use' },
  startUpdate: { method: 'POST', path: '/dashboard/api/dataset/update' },
  getUpdate: { method: 'GET', path: '/dashboard/api/dataset/update' },

  getHealth: { method: 'GET', path: '/dashboard/api/health' },
  getSettings: { method: 'GET', path: '/dashboard/api/settings' },
  listAudit: { method: 'GET', path: '/dashboard/api/audit' },
  exportAudit: { method: 'GET', path: '/dashboard/api/audit/export' },
};
