/** The sidebar, the bar at the bottom of narrow screens, and the list of settings: links to pages by role. */

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
export function Sidebar() {
  const { isAtLeast } = useRole();
  const { server_version } = useSignedIn();
  const settings = SETTINGS_ITEMS.filter(({ role }) => isAtLeast(role));
  return (
    <nav className={classes['sidebar']} aria-label="Main">
      <Link to="/" className={classes['brand']}>
        <Logo />
        Whence
      </Link>
      {MAIN_ITEMS.map((item) => (
        <SidebarLink key={item.path} item={item} />
      ))}
      <div className={classes['group']} aria-hidden>
        Settings
      </div>
      {settings.map((item) => (
        <SidebarLink key={item.path} item={item} />
      ))}
      <div className={classes['foot']}>
        <SidebarLink item={REFERENCE_ITEM} />
        <div className={classes['version']}>Whence {server_version}</div>
      </div>
    </nav>
  );
}

function SidebarLink({ item: { path, name, icon } }: { item: NavigationItem }) {
  return (
    <Link to={path} className={classes['link']} activeOptions={{ exact: path === '/', includeSearch: false }}>
      <Icon name={icon} size={17} stroke={1.7} />
      {name}
    </Link>
  );
}

/** Shown below a width of 1024 px, instead of the sidebar. */
export function BottomBar() {
  return (
    <nav className={classes['bottomBar']} aria-label="Main, bottom bar">
      {[...MAIN_ITEMS.filter(({ isWide }) => !isWide), SETTINGS_ITEM].map(({ path, name, icon }) => (
        <Link key={path} to={path} activeOptions={{ exact: path === '/', includeSearch: false }}>
          <Icon name={icon} size={20} stroke={1.6} />
          {name}
        </Link>
      ))}
    </nav>
  );
}

/** Leads to the settings on narrow screens, where the sidebar is not shown. */
export function SettingsPage() {
  const { isAtLeast } = useRole();
  return (
    <Page name="Settings" title="Settings">
      <ul className={classes['list']}>
        {[...MAIN_ITEMS.filter(({ isWide }) => isWide), ...SETTINGS_ITEMS]
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
