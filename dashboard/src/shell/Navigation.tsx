/**
 * The sidebar, the bar at the bottom of narrow screens, and the list of settings: links to pages by
 * role.
 */

import { Link } from '@tanstack/react-router';
import { Icon } from '../components/icons.tsx';
import {
  MAIN_ITEMS,
  type NavigationItem,
  REFERENCE_ITEM,
  SETTINGS_ITEM,
  SETTINGS_ITEMS,
} from '../components/navigation-items.ts';
import { Page } from '../components/Page.tsx';
import { useRole, useSignedIn } from '../session/use-session.ts';
import classes from './Shell.module.css';

/** Shown from a width of 1024 px on. */
export function Sidebar({ path }: { path: string }) {
  const { isAtLeast } = useRole();
  const { server_version } = useSignedIn();
  const isInSettings = path.startsWith(SETTINGS_ITEM.path);
  const settings = SETTINGS_ITEMS.filter(({ role }) => isInSettings && isAtLeast(role));
  return (
    <nav className={classes['sidebar']} aria-label="Main">
      <Link to="/" className={classes['brand']}>
        <Logo />
        Whence
      </Link>
      {MAIN_ITEMS.map((item) => (
        <SidebarLink key={item.path} item={item} path={path} />
      ))}
      <div className={classes['foot']}>
        <SidebarLink item={REFERENCE_ITEM} path={path} />
        <SidebarLink item={SETTINGS_ITEM} path={path} />
        {settings.length > 0 && (
          <div className={classes['settings']}>
            {settings.map((item) => (
              <SidebarLink key={item.path} item={item} path={path} />
            ))}
          </div>
        )}
        <div className={classes['version']}>Whence {server_version}</div>
      </div>
    </nav>
  );
}

function SidebarLink({ item, path }: { item: NavigationItem; path: string }) {
  return (
    <Link
      to={item.path}
      className={classes['link']}
      data-place={isWithin(item, path)}
      activeOptions={{ exact: true, includeSearch: false }}
    >
      <Icon name={item.icon} size={17} stroke={1.7} />
      {item.name}
    </Link>
  );
}

/** Whether the page on screen belongs to this place. */
function isWithin({ path: own, subjects = [] }: NavigationItem, path: string): boolean {
  if (path === own || subjects.some((subject) => path.startsWith(subject))) return true;
  return own !== '/' && path.startsWith(`${own}/`);
}

/** Shown below a width of 1024 px, instead of the sidebar. The settings are in the header. */
export function BottomBar({ path }: { path: string }) {
  return (
    <nav className={classes['bottomBar']} aria-label="Main, bottom bar">
      {MAIN_ITEMS.map((item) => (
        <Link
          key={item.path}
          to={item.path}
          data-place={isWithin(item, path)}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          <Icon name={item.icon} size={20} stroke={1.6} />
          {item.name}
        </Link>
      ))}
    </nav>
  );
}

/** Leads to the pages of the settings. */
export function SettingsPage() {
  const { isAtLeast } = useRole();
  return (
    <Page name="Settings" title="Settings">
      <ul className={classes['list']}>
        {[...SETTINGS_ITEMS, REFERENCE_ITEM]
          .filter(({ role }) => isAtLeast(role))
          .map(({ path, name, icon, about }) => (
            <li key={path}>
              <Link to={path} className={classes['settingsLink']}>
                <Icon name={icon} size={20} stroke={1.6} />
                <span>
                  <span className={classes['name']}>{name}</span>
                  <span className={classes['about']}>{about}</span>
                </span>
              </Link>
            </li>
          ))}
      </ul>
    </Page>
  );
}

export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path
        d="M6 10l4.5 13L16 11l5.5 12L26 10"
        fill="none"
        stroke="var(--on-accent)"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
