/** The frame of all pages, with and without an account. */
import { useNetwork } from '@mantine/hooks';
import { Link, Outlet, useMatches } from '@tanstack/react-router';
import { Suspense } from 'react';
import { QuietButton } from '../components/Buttons.tsx';
import { IconWifiOff } from '../components/icons.tsx';
import { Skeleton } from '../components/Loaded.tsx';
import { Page } from '../components/Page.tsx';
import { Examples } from '../lookup/Examples.tsx';
import { LookupField } from '../lookup/LookupField.tsx';
import { AccountMenu, DatasetChip, ThemeSwitch } from './HeaderTools.tsx';
import { BottomBar, Logo, Sidebar } from './Navigation.tsx';
import { PrintHead } from './PrintHead.tsx';
import classes from './Shell.module.css';
import { Shortcuts } from './Shortcuts.tsx';

export function Shell() {
  return (
    <>
      <a className={classes['skip']} href="#content">
        Skip to content
      </a>
      <div className={classes['shell']}>
        <Sidebar />
        <div className={classes['main']}>
          <header className={classes['header']}>
            <LookupField />
            <div className={classes['tools']}>
              <DatasetChip />
              <ThemeSwitch />
              <AccountMenu />
            </div>
          </header>
          <OfflineBar />
          <PrintHead />
          <main id="content" tabIndex={-1}>
            <Suspense fallback={<Skeleton />}>
              <Outlet />
            </Suspense>
          </main>
        </div>
      </div>
      <BottomBar />
      <Shortcuts />
    </>
  );
}

/** Whether a page may be shown without an account, where the operator allows public lookups. */
export function isPublicPage(path: string): boolean {
  return path === '/' || /^\/(ip|prefix|asn|domain)(\/|$)/.test(path);
}

/** The API reference, and where they are allowed the lookup field and its pages, for visitors without an account. */
export function PublicShell({ hasLookups }: { hasLookups: boolean }) {
  const path = useShownPath();
  return (
    <>
      <a className={classes['skip']} href="#content">
        Skip to content
      </a>
      <header className={classes['header']}>
        <Link to="/" className={classes['brand']} aria-label="Whence">
          <Logo />
        </Link>
        {hasLookups && <LookupField />}
        <div className={classes['tools']}>
          <ThemeSwitch />
          <QuietButton text="Sign in" renderRoot={(props) => <Link to="/sign-in" {...props} />} />
        </div>
      </header>
      <OfflineBar />
      <PrintHead />
      <main id="content" tabIndex={-1}>
        <Suspense fallback={<Skeleton />}>{path === '/' ? <PublicHome /> : <Outlet />}</Suspense>
      </main>
    </>
  );
}

function PublicHome() {
  return (
    <Page
      name="Look up"
      title="Look up an address, a network or a domain"
      lead="Shows what is known, from which source, and how old the data is. Batch lookups need an account."
    >
      <Examples isPublic />
    </Page>
  );
}

/** Shown while the browser is offline. A server that does not respond is reported by the request that failed. */
function OfflineBar() {
  const { online } = useNetwork();
  if (online) return null;
  return (
    <div className={classes['offlineBar']} role="status">
      <IconWifiOff size={16} aria-hidden />
      This device is offline. New lookups need a connection.
    </div>
  );
}

/** The path of the page on screen. The address bar already has the next path while that page loads. */
export function useShownPath(): string {
  return useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '/' });
}
