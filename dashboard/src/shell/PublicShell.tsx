import { Button } from '@mantine/core';
import { Link, Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { Box } from '../box/Box.tsx';
import { Examples } from '../overview/Examples.tsx';
import { Page } from '../parts/Page.tsx';
import { OfflineBar } from '../states/OfflineBar.tsx';
import { Skeleton } from '../states/Skeleton.tsx';
import { Mark } from './Mark.tsx';
import classes from './Shell.module.css';
import { ThemeSwitch } from './ThemeSwitch.tsx';
import { useShownPath } from './use-shown-path.ts';

/** The pages that are shown without an account where the operator allows it. */
export function isPublicPage(path: string): boolean {
  return path === '/' || /^\/(ip|prefix|asn|domain)(\/|$)/.test(path);
}

/** The box and what it leads to, for people without an account. */
export function PublicShell() {
  const path = useShownPath();
  return (
    <>
      <a className={classes['skip']} href="#content">
        Skip to content
      </a>
      <header className={classes['header']}>
        <Link to="/" className={classes['brand']} aria-label="Whence">
          <Mark />
        </Link>
        <Box />
        <div className={classes['tools']}>
          <ThemeSwitch />
          <Button size="xs" variant="default" renderRoot={(props) => <Link to="/sign-in" {...props} />}>
            Sign in
          </Button>
        </div>
      </header>
      <OfflineBar />
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
      lead="What is known of it, from which source, and how old that is. Many addresses at once need an account."
    >
      <Examples isPublic />
    </Page>
  );
}
