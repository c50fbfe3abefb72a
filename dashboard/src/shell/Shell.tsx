import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { Box } from '../box/Box.tsx';
import { OfflineBar } from '../states/OfflineBar.tsx';
import { Skeleton } from '../states/Skeleton.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { BottomBar } from './BottomBar.tsx';
import { DatasetChip } from './DatasetChip.tsx';
import { Rail } from './Rail.tsx';
import classes from './Shell.module.css';
import { ThemeSwitch } from './ThemeSwitch.tsx';

export function Shell() {
  return (
    <>
      <a className={classes['skip']} href="#content">
        Skip to content
      </a>
      <div className={classes['shell']}>
        <Rail />
        <div className={classes['main']}>
          <header className={classes['header']}>
            <Box />
            <div className={classes['tools']}>
              <DatasetChip />
              <ThemeSwitch />
              <AccountMenu />
            </div>
          </header>
          <OfflineBar />
          <main id="content" tabIndex={-1}>
            <Suspense fallback={<Skeleton />}>
              <Outlet />
            </Suspense>
          </main>
        </div>
      </div>
      <BottomBar />
    </>
  );
}
