/** Every page and its address. Pages are loaded when they are opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
} from '@tanstack/react-router';
import { CONNECTION_TYPES, THREAT_LEVELS } from '@whence/dataset/record';
import { LINK_PAGE } from '@whence/server/dashboard-wire/contract';
import {
  type AuditAction,
  KEY_SORTS,
  KEY_STATES,
  PERMISSIONS,
  SORT_ORDERS,
  TIER_NAMES,
  USAGE_GROUPS,
} from '@whence/server/vocabulary';
import { ACTION_WORDS } from './audit/AuditTable.tsx';
import { BATCH_SORTS } from './batch/filter-rows.ts';
import { ErrorPage, NotFoundPage } from './components/Failures.tsx';
import { parseTried } from './domain/trial.ts';
import { FLAGS } from './format/names.ts';
import { choiceParam, dayParam, numberParam, textParam, withoutEmpty } from './search-params.ts';
import { RequireSession } from './session/RequireSession.tsx';
import { SettingsPage } from './shell/Navigation.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage, errorComponent: ErrorPage });
const setUp = createRoute({
  getParentRoute: () => root,
  path: LINK_PAGE,
  component: lazyRouteComponent(() => import('./session/SetUpPage.tsx'), 'SetUpPage'),
});
const session = createRoute({ getParentRoute: () => root, id: 'session', component: RequireSession });
const withSession = () => session;

const overview = createRoute({
  getParentRoute: withSession,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/OverviewPage.tsx'), 'OverviewPage'),
});
const ip = createRoute({
  getParentRoute: withSession,
  path: '/ip/$ip',
  validateSearch: (raw) => withoutEmpty({ include: textParam(raw, 'include'), change: numberParam(raw, 'change') }),
  component: lazyRouteComponent(() => import('./ip/IpPage.tsx'), 'IpPage'),
});
const prefix = createRoute({
  getParentRoute: withSession,
  path: '/prefix/$',
  component: lazyRouteComponent(() => import('./prefix/PrefixPage.tsx'), 'PrefixPage'),
});
const asnSearch = createRoute({
  getParentRoute: withSession,
  path: '/asn',
  validateSearch: (raw) => withoutEmpty({ q: textParam(raw, 'q') }),
  component: lazyRouteComponent(() => import('./asn/AsnSearchPage.tsx'), 'AsnSearchPage'),
});
const asn = createRoute({
  getParentRoute: withSession,
  path: '/asn/$asn',
  validateSearch: (raw) => withoutEmpty({ prefixes: textParam(raw, 'prefixes') }),
  component: lazyRouteComponent(() => import('./asn/AsnPage.tsx'), 'AsnPage'),
});
const domain = createRoute({
  getParentRoute: withSession,
  path: '/domain/$domain',
  validateSearch: (raw) =>
    withoutEmpty({
      selectors: textParam(raw, 'selectors'),
      include: textParam(raw, 'include'),
      try: parseTried(raw['try']),
    }),
  component: lazyRouteComponent(() => import('./domain/DomainPage.tsx'), 'DomainPage'),
});
const batch = createRoute({
  getParentRoute: withSession,
  path: '/batch',
  validateSearch: (raw) =>
    withoutEmpty({
      run: textParam(raw, 'run'),
      ips: textParam(raw, 'ips'),
      q: textParam(raw, 'q'),
      network: textParam(raw, 'network'),
      country: textParam(raw, 'country'),
      type: choiceParam(raw, 'type', CONNECTION_TYPES),
      flag: choiceParam(raw, 'flag', FLAGS),
      level: choiceParam(raw, 'level', THREAT_LEVELS),
      sort: choiceParam(raw, 'sort', BATCH_SORTS),
    }),
  component: lazyRouteComponent(() => import('./batch/BatchPage.tsx'), 'BatchPage'),
});
const usage = createRoute({
  getParentRoute: withSession,
  path: '/usage',
  validateSearch: (raw) =>
    withoutEmpty({
      key: textParam(raw, 'key'),
      from: dayParam(raw, 'from'),
      to: dayParam(raw, 'to'),
      by: choiceParam(raw, 'by', USAGE_GROUPS),
    }),
  component: lazyRouteComponent(() => import('./usage/UsagePage.tsx'), 'UsagePage'),
});
const data = createRoute({
  getParentRoute: withSession,
  path: '/data',
  component: lazyRouteComponent(() => import('./data/DataPage.tsx'), 'DataPage'),
});
const diff = createRoute({
  getParentRoute: withSession,
  path: '/data/diff/$versions',
  component: lazyRouteComponent(() => import('./data/DiffPage.tsx'), 'DiffPage'),
});
const settings = createRoute({
  getParentRoute: withSession,
  path: '/settings',
  component: SettingsPage,
});
const keys = createRoute({
  getParentRoute: withSession,
  path: '/settings/keys',
  validateSearch: (raw) =>
    withoutEmpty({
      q: textParam(raw, 'q'),
      state: choiceParam(raw, 'state', KEY_STATES),
      revoked: choiceParam(raw, 'revoked', ['yes'] as const),
      tier: choiceParam(raw, 'tier', TIER_NAMES),
      permission: choiceParam(raw, 'permission', PERMISSIONS),
      sort: choiceParam(raw, 'sort', KEY_SORTS),
      order: choiceParam(raw, 'order', SORT_ORDERS),
      create: choiceParam(raw, 'create', ['yes'] as const),
      edit: textParam(raw, 'edit'),
    }),
  component: lazyRouteComponent(() => import('./keys/KeysPage.tsx'), 'KeysPage'),
});
const key = createRoute({
  getParentRoute: withSession,
  path: '/settings/keys/$id',
  component: lazyRouteComponent(() => import('./keys/KeyPage.tsx'), 'KeyPage'),
});
const rotation = createRoute({
  getParentRoute: withSession,
  path: '/settings/keys/$id/rotate',
  component: lazyRouteComponent(() => import('./keys/RotationPage.tsx'), 'RotationPage'),
});
const account = createRoute({
  getParentRoute: withSession,
  path: '/settings/account',
  component: lazyRouteComponent(() => import('./account/AccountPage.tsx'), 'AccountPage'),
});
const people = createRoute({
  getParentRoute: withSession,
  path: '/settings/people',
  component: lazyRouteComponent(() => import('./people/PeoplePage.tsx'), 'PeoplePage'),
});
const audit = createRoute({
  getParentRoute: withSession,
  path: '/settings/audit',
  validateSearch: (raw) =>
    withoutEmpty({
      action: choiceParam(raw, 'action', Object.keys(ACTION_WORDS) as AuditAction[]),
      actor: textParam(raw, 'actor'),
      target: textParam(raw, 'target'),
    }),
  component: lazyRouteComponent(() => import('./audit/AuditPage.tsx'), 'AuditPage'),
});
const health = createRoute({
  getParentRoute: withSession,
  path: '/settings/health',
  component: lazyRouteComponent(() => import('./operation/HealthPage.tsx'), 'HealthPage'),
});
const server = createRoute({
  getParentRoute: withSession,
  path: '/settings/server',
  component: lazyRouteComponent(() => import('./operation/ServerPage.tsx'), 'ServerPage'),
});
const signIn = createRoute({
  getParentRoute: withSession,
  path: '/sign-in',
  // Without a session `RequireSession` shows the sign-in form here.
  component: () => <Navigate to="/" replace />,
});

/** A child of `session`, so that the sidebar and the lookup field are shown. */
const notFound = createRoute({ getParentRoute: withSession, path: '$', component: NotFoundPage });

const lookupPages = [overview, ip, prefix, asnSearch, asn, domain, batch] as const;
const operationPages = [usage, data, diff, health, server] as const;
const settingsPages = [signIn, settings, keys, key, rotation, account, people, audit] as const;

export const router = createRouter({
  routeTree: root.addChildren([
    setUp,
    session.addChildren([...lookupPages, ...operationPages, ...settingsPages, notFound]),
  ]),
  // An IPv6 address stays readable in the address bar.
  pathParamsAllowedCharacters: [':'],
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
