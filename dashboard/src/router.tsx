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
  CONFIRMATION_PAGE,
  KEY_SORTS,
  KEY_STATES,
  PERMISSIONS,
  SORT_ORDERS,
  TIER_NAMES,
  USAGE_GROUPS,
} from '@whence/server/vocabulary';
import { refuseScript } from './api/recovery.ts';
import { BATCH_SORTS, UNKNOWN_LEVEL } from './batch/filter-rows.ts';
import { ErrorPage, NotFoundPage } from './components/Failures.tsx';
import { parseTried } from './domain/trial.ts';
import { FLAGS } from './format/names.ts';
import { day, number, oneOf, type Parameters, readParameters, text } from './search-params.ts';
import { SettingsPage } from './shell/Navigation.tsx';
import { RequireSession } from './sign-in/RequireSession.tsx';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});
const setUp = createRoute({
  getParentRoute: () => root,
  path: LINK_PAGE,
  component: lazyRouteComponent(() => import('./sign-in/SetUpPage.tsx'), 'SetUpPage'),
});
const confirmAlerts = createRoute({
  getParentRoute: () => root,
  path: CONFIRMATION_PAGE,
  component: lazyRouteComponent(
    () => import('./sign-in/ConfirmAlertsPage.tsx'),
    'ConfirmAlertsPage',
  ),
});
const session = createRoute({
  getParentRoute: () => root,
  id: 'session',
  component: RequireSession,
});
const withSession = () => session;
/**
 * A page, which is loaded when it is opened, and the parameters of the address bar that it reads.
 */
const page = <
  const Path extends string,
  Module extends object,
  P extends Parameters = Record<never, never>,
>(
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

const home = page('/', () => import('./home/HomePage.tsx'), 'HomePage', {
  period: oneOf('24 h', '7 d', '30 d'),
});
const ip = page('/ip/$ip', () => import('./ip/IpPage.tsx'), 'IpPage', {
  include: text,
  change: number,
  code: text,
});
const prefix = page('/prefix/$', () => import('./prefix/PrefixPage.tsx'), 'PrefixPage');
const asnSearch = page('/asn', () => import('./asn/AsnSearchPage.tsx'), 'AsnSearchPage', {
  q: text,
});
const asn = page('/asn/$asn', () => import('./asn/AsnPage.tsx'), 'AsnPage', {
  prefixes: text,
  code: text,
});
const domain = page('/domain/$domain', () => import('./domain/DomainPage.tsx'), 'DomainPage', {
  tab: text,
  selectors: text,
  include: text,
  try: parseTried,
  policy: oneOf('quarantine'),
  days: number,
  service: text,
  code: text,
});
const batch = page('/lookup', () => import('./lookup/LookUpPage.tsx'), 'LookUpPage', {
  tab: text,
  run: text,
  ips: text,
  q: text,
  network: text,
  country: text,
  type: oneOf(...CONNECTION_TYPES),
  flag: oneOf(...FLAGS),
  level: oneOf(...THREAT_LEVELS, UNKNOWN_LEVEL),
  sort: oneOf(...BATCH_SORTS),
});
const mail = page('/mail', () => import('./mail/MailPage.tsx'), 'MailPage', {
  q: text,
  tag: text,
  grade: oneOf('A', 'B', 'C', 'D', 'F'),
  state: oneOf('open', 'fine'),
  add: oneOf('yes'),
});
const usage = page('/keys/usage', () => import('./usage/UsagePage.tsx'), 'UsagePage', {
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
  code: text,
});
const reference = page('/docs', () => import('./reference/ReferencePage.tsx'), 'ReferencePage');
const data = page('/data', () => import('./data/DataPage.tsx'), 'DataPage', { tab: text });
const settings = createRoute({
  getParentRoute: withSession,
  path: '/settings',
  component: SettingsPage,
});
const keys = page('/keys', () => import('./keys/KeysPage.tsx'), 'KeysPage', {
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
const key = page('/keys/$id', () => import('./keys/KeyPage.tsx'), 'KeyPage', {
  pasted: oneOf('yes'),
});
const rotation = page('/keys/$id/rotate', () => import('./keys/RotationPage.tsx'), 'RotationPage');
const account = page('/settings/account', () => import('./account/AccountPage.tsx'), 'AccountPage');
const people = page('/settings/people', () => import('./people/PeoplePage.tsx'), 'PeoplePage');
const audit = page('/settings/audit', () => import('./audit/AuditPage.tsx'), 'AuditPage', {
  action: text,
  actor: text,
  target: text,
});
const alerts = page('/settings/alerts', () => import('./alerts/AlertsPage.tsx'), 'AlertsPage', {
  channel: text,
});
const server = page('/settings/server', () => import('./operation/ServerPage.tsx'), 'ServerPage', {
  tab: text,
});
const signIn = createRoute({
  getParentRoute: withSession,
  path: '/sign-in',
  // Without a session `RequireSession` shows the sign-in form here.
  component: () => <Navigate to="/" replace />,
});

/** A child of `session`, so that the sidebar and the lookup field are shown. */
const notFound = createRoute({ getParentRoute: withSession, path: '$', component: NotFoundPage });

const lookupPages = [home, ip, prefix, asnSearch, asn, domain, batch, mail] as const;
const operationPages = [reference, usage, rules, data, server] as const;
const settingsPages = [
  signIn,
  settings,
  keys,
  key,
  rotation,
  account,
  people,
  alerts,
  audit,
] as const;

export const router = createRouter({
  routeTree: root.addChildren([
    setUp,
    confirmAlerts,
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
  interface HistoryState {
    /** Text with domains to watch, which may be too long for the address bar. */
    domains?: string;
  }
}
