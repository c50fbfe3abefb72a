/** Every page and its address. Pages are loaded when they are opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  type RouteComponent,
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
import { refuseScript } from './api/recovery.ts';
import { ACTION_WORDS } from './audit/AuditTable.tsx';
import { BATCH_SORTS } from './batch/filter-rows.ts';
import { ErrorPage, NotFoundPage } from './components/Failures.tsx';
import { RISKS } from './domain/headline.ts';
import { parseTried } from './domain/trial.ts';
import { FLAGS } from './format/names.ts';
import { day, number, oneOf, type Parameters, readParameters, text } from './search-params.ts';
import { SettingsPage } from './shell/Navigation.tsx';
import { RequireSession } from './sign-in/RequireSession.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage, errorComponent: ErrorPage });
const setUp = createRoute({
  getParentRoute: () => root,
  path: LINK_PAGE,
  component: lazyRouteComponent(() => import('./sign-in/SetUpPage.tsx'), 'SetUpPage'),
});
const session = createRoute({ getParentRoute: () => root, id: 'session', component: RequireSession });
const withSession = () => session;
/** A page, which is loaded when it is opened, and the parameters of the address bar that it reads. */
const page = <const Path extends string, Module extends object, P extends Parameters = Record<never, never>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
  parameters: P = {} as P,
) =>
  createRoute({
    getParentRoute: withSession,
    path,
    component: lazyRouteComponent(() => load().catch(refuseScript), name) as RouteComponent,
    validateSearch: (raw: Record<string, unknown>) => readParameters(parameters, raw),
  });

const overview = page('/', () => import('./overview/OverviewPage.tsx'), 'OverviewPage', {
  period: oneOf('24 h', '7 d', '30 d'),
});
const ip = page('/ip/$ip', () => import('./ip/IpPage.tsx'), 'IpPage', { include: text, change: number });
const prefix = page('/prefix/$', () => import('./prefix/PrefixPage.tsx'), 'PrefixPage');
const asnSearch = page('/asn', () => import('./asn/AsnSearchPage.tsx'), 'AsnSearchPage', { q: text });
const asn = page('/asn/$asn', () => import('./asn/AsnPage.tsx'), 'AsnPage', { prefixes: text });
const domain = page('/domain/$domain', () => import('./domain/DomainPage.tsx'), 'DomainPage', {
  selectors: text,
  include: text,
  try: parseTried,
  policy: oneOf('quarantine'),
  days: number,
  service: text,
});
const batch = page('/batch', () => import('./batch/BatchPage.tsx'), 'BatchPage', {
  run: text,
  ips: text,
  q: text,
  network: text,
  country: text,
  type: oneOf(...CONNECTION_TYPES),
  flag: oneOf(...FLAGS),
  level: oneOf(...THREAT_LEVELS),
  sort: oneOf(...BATCH_SORTS),
});
const domains = page('/domains', () => import('./domains/DomainsPage.tsx'), 'DomainsPage', {
  run: text,
  domains: text,
  sort: oneOf('domain', 'grade', 'rules'),
  grade: oneOf('A', 'B', 'C', 'D', 'F'),
  risk: oneOf(...RISKS),
});
const usage = page('/usage', () => import('./usage/UsagePage.tsx'), 'UsagePage', {
  key: text,
  from: day,
  to: day,
  by: oneOf(...USAGE_GROUPS),
});
const rules = page('/rules', () => import('./rules/RulesPage.tsx'), 'RulesPage', {
  ip: text,
  host: text,
  path: text,
  method: text,
  set: text,
});
const reference = page('/docs', () => import('./reference/ReferencePage.tsx'), 'ReferencePage');
const data = page('/data', () => import('./data/DataPage.tsx'), 'DataPage', { tab: text });
const diff = page('/data/diff/$versions', () => import('./data/DiffPage.tsx'), 'DiffPage', { tab: text });
const settings = createRoute({ getParentRoute: withSession, path: '/settings', component: SettingsPage });
const keys = page('/settings/keys', () => import('./keys/KeysPage.tsx'), 'KeysPage', {
  q: text,
  state: oneOf(...KEY_STATES),
  revoked: oneOf('yes'),
  tier: oneOf(...TIER_NAMES),
  permission: oneOf(...PERMISSIONS),
  sort: oneOf(...KEY_SORTS),
  order: oneOf(...SORT_ORDERS),
  create: oneOf('yes'),
  edit: text,
});
const key = page('/settings/keys/$id', () => import('./keys/KeyPage.tsx'), 'KeyPage', { pasted: oneOf('yes') });
const rotation = page('/settings/keys/$id/rotate', () => import('./keys/RotationPage.tsx'), 'RotationPage');
const account = page('/settings/account', () => import('./account/AccountPage.tsx'), 'AccountPage');
const people = page('/settings/people', () => import('./people/PeoplePage.tsx'), 'PeoplePage');
const audit = page('/settings/audit', () => import('./audit/AuditPage.tsx'), 'AuditPage', {
  action: oneOf(...(Object.keys(ACTION_WORDS) as AuditAction[])),
  actor: text,
  target: text,
});
const server = page('/settings/server', () => import('./operation/ServerPage.tsx'), 'ServerPage', { tab: text });
const signIn = createRoute({
  getParentRoute: withSession,
  path: '/sign-in',
  // Without a session `RequireSession` shows the sign-in form here.
  component: () => <Navigate to="/" replace />,
});

/** A child of `session`, so that the sidebar and the lookup field are shown. */
const notFound = createRoute({ getParentRoute: withSession, path: '$', component: NotFoundPage });

const lookupPages = [overview, ip, prefix, asnSearch, asn, domain, batch, domains] as const;
const operationPages = [reference, usage, rules, data, diff, server] as const;
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
