/**
 * Parts of a long page, one at a time. The address bar has the one that is shown; the first needs
 * no parameter.
 */
import { Link, useSearch } from '@tanstack/react-router';
import { IN_PLACE } from '../search-params.ts';
import classes from './PageTabs.module.css';

type Tabs = Readonly<Record<string, string>>;

/** The tab of the address bar, or the first one. */
export function useTab(tabs: Tabs): string | undefined {
  const { tab = '' } = useSearch({ strict: false });
  return Object.hasOwn(tabs, tab) ? tab : Object.keys(tabs)[0];
}

export function PageTabs({ tabs }: { tabs: Tabs }) {
  return (
    <nav className={`${classes['tabs']} no-print`} aria-label="Parts of this page">
      {Object.entries(tabs).map(([name, words], index) => (
        <Link
          key={name}
          to="."
          search={(before: object) => ({ ...before, tab: index === 0 ? undefined : name })}
          {...IN_PLACE}
          // The first is the current one only without a tab in the address.
          activeOptions={{ exact: true }}
        >
          {words}
        </Link>
      ))}
    </nav>
  );
}

/** Tabs that are pages of their own: their words by path. */
export function LinkTabs({ tabs }: { tabs: Tabs }) {
  return (
    <nav className={`${classes['tabs']} no-print`} aria-label="Parts of this page">
      {Object.entries(tabs).map(([path, words]) => (
        <Link key={path} to={path} activeOptions={{ exact: true, includeSearch: false }}>
          {words}
        </Link>
      ))}
    </nav>
  );
}
