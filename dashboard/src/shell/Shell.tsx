/** The frame of all pages, with and without an account. */

import { useHotkeys } from '@mantine/hooks';
import { Link, Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { QuietButton } from '../components/Buttons.tsx';
import { Skeleton } from '../components/Loaded.tsx';
import { Page } from '../components/Page.tsx';
import { Examples } from '../lookup/Examples.tsx';
import { LookupField } from '../lookup/LookupField.tsx';
import { AccountMenu, DatasetChip, ThemeSwitch } from './HeaderTools.tsx';
import { BottomBar, Logo, Sidebar } from './Navigation.tsx';
import classes from './Shell.module.css';

export function Shell() {
  const path = useShownPath();
  return (
    <>
      <a className={classes['skip']} href="#content">
        Skip to content
      </a>
      <div className={classes['shell']}>
        <Sidebar path={path} />
        <div className={classes['main']}>
          <header className={classes['header']}>
            <LookupField />
            <div className={classes['tools']}>
              <DatasetChip path={path} />
              <ThemeSwitch />
              <AccountMenu />
            </div>
          </header>
          <PrintHead />
          <main id="content" tabIndex={-1}>
            <Suspense fallback={<Skeleton />}>
              <Outlet />
            </Suspense>
          </main>
        </div>
      </div>
      <BottomBar path={path} />
      <Shortcuts />
    </>
  );
}

/** Whether a page may be shown without an account, where the operator allows public lookups. */
export function isPublicPage(path: string): boolean {
  return path === '/' || /^\/(ip|prefix|asn|domain)(\/|$)/.test(path);
}

/**
 * The API reference, and where they are allowed the lookup field and its pages, for visitors
 * without an account.
 */
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
      <Examples />
    </Page>
  );
}

/**
 * The path of the page on screen. The address bar already has the next path while that page loads.
 */
export function useShownPath(): string {
  return useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '/' });
}

const format = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** On paper only: what the page is from, its address and when it was printed. */
function PrintHead() {
  const path = useRouterState({ select: ({ location }) => location.href });
  const [printedAt, setPrintedAt] = useState(() => new Date());
  useEffect(() => {
    // Before the browser lays out the sheet: a page may have been open for hours.
    const onPrint = () => flushSync(() => setPrintedAt(new Date()));
    window.addEventListener('beforeprint', onPrint);
    return () => window.removeEventListener('beforeprint', onPrint);
  }, []);
  return (
    <div className={classes['printHead']} aria-hidden>
      <span>Whence</span>
      <span className={classes['printAddress']}>{`${window.location.origin}${path}`}</span>
      <span>{format.format(printedAt)} UTC</span>
    </div>
  );
}

// Dialogs are not needed before a page can be used.
const ShortcutList = lazy(async () => ({
  default: (await import('./ShortcutList.tsx')).ShortcutList,
}));

function Shortcuts() {
  const [isOpen, setIsOpen] = useState(false);
  const open = () => setIsOpen(true);
  useHotkeys([
    ['?', open],
    ['shift+?', open],
  ]);
  if (!isOpen) return null;
  return (
    <Suspense>
      <ShortcutList onClose={() => setIsOpen(false)} />
    </Suspense>
  );
}
