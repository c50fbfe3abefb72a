/** Every page and its address. Pages are loaded when they are opened. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router';
import type { ConnectionType, ThreatLevel } from '@whence/client/wire';
import {
  type AuditAction,
  type KeySort,
  type KeyStatus,
  LINK_PAGE,
  type Permission,
  type Tier,
  type UsageBy,
} from '@whence/server/dashboard-wire';
import { auditActions } from './audit/actions.ts';
import { FLAGS } from './batch/facets.ts';
import { BATCH_SORTS } from './batch/sort-rows.ts';
import { choiceParam, dayParam, present, textParam } from './search-params.ts';
import { Gate } from './session/Gate.tsx';
import { PageFault } from './states/PageFault.tsx';
import { PageNotFound } from './states/PageNotFound.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: PageNotFound, errorComponent: PageFault });
const setUp = createRoute({
  getParentRoute: () => root,
  path: LINK_PAGE,
  component: lazyRouteComponent(() => import('./session/SetUp.tsx'), 'SetUp'),
});
const gate = createRoute({ getParentRoute: () => root, id: 'gate', component: Gate });
const inside = () => gate;

const overview = createRoute({
  getParentRoute: inside,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/OverviewPage.tsx'), 'OverviewPage'),
});
const ip = createRoute({
  getParentRoute: inside,
  path: '/ip/$ip',
  component: lazyRouteComponent(() => import('./ip/IpPage.tsx'), 'IpPage'),
});
const prefix = createRoute({
  getParentRoute: inside,
  path: '/prefix/$',
  component: lazyRouteComponent(() => import('./prefix/PrefixPage.tsx'), 'PrefixPage'),
});
const asnSearch = createRoute({
  getParentRoute: inside,
  path: '/asn',
  validateSearch: (raw) => present({ q: textParam(raw, 'q') }),
  component: lazyRouteComponent(() => import('./asn/AsnSearchPage.tsx'), 'AsnSearchPage'),
});
const asn = createRoute({
  getParentRoute: inside,
  path: '/asn/$asn',
  validateSearch: (raw) => present({ prefixes: textParam(raw, 'prefixes') }),
  component: lazyRouteComponent(() => import('./asn/AsnPage.tsx'), 'AsnPage'),
});
const domain = createRoute({
  getParentRoute: inside,
  path: '/domain/$domain',
  validateSearch: (raw) => present({ selectors: textParam(raw, 'selectors'), include: textParam(raw, 'include') }),
  component: lazyRouteComponent(() => import('./domain/DomainPage.tsx'), 'DomainPage'),
});
const CONNECTION_TYPES: readonly ConnectionType[] = ['residential', 'datacenter', 'mobile', 'business', 'education'];
const LEVELS: readonly ThreatLevel[] = ['low', 'medium', 'high', 'critical'];
const batch = createRoute({
  getParentRoute: inside,
  path: '/batch',
  validateSearch: (raw) =>
    present({
      ips: textParam(raw, 'ips'),
      q: textParam(raw, 'q'),
      network: textParam(raw, 'network'),
      country: textParam(raw, 'country'),
      type: choiceParam(raw, 'type', CONNECTION_TYPES),
      flag: choiceParam(raw, 'flag', FLAGS),
      level: choiceParam(raw, 'level', LEVELS),
      sort: choiceParam(raw, 'sort', BATCH_SORTS),
    }),
  component: lazyRouteComponent(() => import('./batch/BatchPage.tsx'), 'BatchPage'),
});
const USAGE_BY: readonly UsageBy[] = ['endpoint', 'key', 'status'];
const usage = createRoute({
  getParentRoute: inside,
  path: '/usage',
  validateSearch: (raw) =>
    present({
      key: textParam(raw, 'key'),
      from: dayParam(raw, 'from'),
      to: dayParam(raw, 'to'),
      by: choiceParam(raw, 'by', USAGE_BY),
    }),
  component: lazyRouteComponent(() => import('./usage/UsagePage.tsx'), 'UsagePage'),
});
const data = createRoute({
  getParentRoute: inside,
  path: '/data',
  component: lazyRouteComponent(() => import('./data/DataPage.tsx'), 'DataPage'),
});
const diff = createRoute({
  getParentRoute: inside,
  path: '/data/diff/$versions',
  component: lazyRouteComponent(() => import('./data/DiffPage.tsx'), 'DiffPage'),
});
const settings = createRoute({
  getParentRoute: inside,
  path: '/settings',
  component: lazyRouteComponent(() => import('./shell/SettingsPage.tsx'), 'SettingsPage'),
});
const STATUSES: readonly KeyStatus[] = ['active', 'revoked'];
const TIERS: readonly Tier[] = ['free', 'starter', 'pro', 'enterprise'];
const PERMISSIONS: readonly Permission[] = ['ip:read', 'ip:batch', 'asn:read', 'email:read'];
const SORTS: readonly KeySort[] = ['name', 'created_at', 'last_used_at', 'requests_today'];
const ORDERS = ['asc', 'desc'] as const;
const keys = createRoute({
  getParentRoute: inside,
  path: '/settings/keys',
  validateSearch: (raw) =>
    present({
      q: textParam(raw, 'q'),
      status: choiceParam(raw, 'status', STATUSES),
      tier: choiceParam(raw, 'tier', TIERS),
      permission: choiceParam(raw, 'permission', PERMISSIONS),
      sort: choiceParam(raw, 'sort', SORTS),
      order: choiceParam(raw, 'order', ORDERS),
      create: choiceParam(raw, 'create', ['yes'] as const),
    }),
  component: lazyRouteComponent(() => import('./keys/KeysPage.tsx'), 'KeysPage'),
});
const key = createRoute({
  getParentRoute: inside,
  path: '/settings/keys/$id',
  component: lazyRouteComponent(() => import('./keys/KeyPage.tsx'), 'KeyPage'),
});
const rotation = createRoute({
  getParentRoute: inside,
  path: '/settings/keys/$id/rotate',
  component: lazyRouteComponent(() => import('./keys/RotationPage.tsx'), 'RotationPage'),
});
const account = createRoute({
  getParentRoute: inside,
  path: '/settings/account',
  component: lazyRouteComponent(() => import('./account/AccountPage.tsx'), 'AccountPage'),
});
const people = createRoute({
  getParentRoute: inside,
  path: '/settings/people',
  component: lazyRouteComponent(() => import('./people/PeoplePage.tsx'), 'PeoplePage'),
});
const ACTIONS = Object.keys(auditActions) as AuditAction[];
const audit = createRoute({
  getParentRoute: inside,
  path: '/settings/audit',
  validateSearch: (raw) =>
    present({
      action: choiceParam(raw, 'action', ACTIONS),
      actor: textParam(raw, 'actor'),
      target: textParam(raw, 'target'),
    }),
  component: lazyRouteComponent(() => import('./audit/AuditPage.tsx'), 'AuditPage'),
});
const health = createRoute({
  getParentRoute: inside,
  path: '/settings/health',
  component: lazyRouteComponent(() => import('./operation/HealthPage.tsx'), 'HealthPage'),
});
const server = createRoute({
  getParentRoute: inside,
  path: '/settings/server',
  component: lazyRouteComponent(() => import('./operation/ServerPage.tsx'), 'ServerPage'),
});
const signIn = createRoute({
  getParentRoute: inside,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./session/SignInPage.tsx'), 'SignInPage'),
});

/** Inside the gate, so that the rail and the box are there. */
const nowhere = createRoute({ getParentRoute: inside, path: '$', component: PageNotFound });

const lookUps = [overview, ip, prefix, asnSearch, asn, domain, batch] as const;
const operation = [usage, data, diff, health, server] as const;
const settingsPages = [signIn, settings, keys, key, rotation, account, people, audit] as const;

export const router = createRouter({
  routeTree: root.addChildren([setUp, gate.addChildren([...lookUps, ...operation, ...settingsPages, nowhere])]),
  // An IPv6 address stays readable in the address bar.
  pathParamsAllowedCharacters: [':'],
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultErrorComponent: PageFault,
  defaultNotFoundComponent: PageNotFound,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
