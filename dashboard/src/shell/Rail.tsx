import { IconBook2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useRole, useSignedIn } from '../session/use-account.ts';
import { Mark } from './Mark.tsx';
import { MAIN_PLACES, type Place, SETTINGS_PLACES } from './places.ts';
import classes from './Shell.module.css';

/** From 1024 px on. */
export function Rail() {
  const { isAtLeast } = useRole();
  const { server_version } = useSignedIn();
  const settings = SETTINGS_PLACES.filter(({ role }) => isAtLeast(role));
  return (
    <nav className={classes['rail']} aria-label="Main">
      <Link to="/" className={classes['brand']}>
        <Mark />
        Whence
      </Link>
      {MAIN_PLACES.map((place) => (
        <RailLink key={place.path} place={place} />
      ))}
      <div className={classes['group']} aria-hidden>
        Settings
      </div>
      {settings.map((place) => (
        <RailLink key={place.path} place={place} />
      ))}
      <div className={classes['foot']}>
        <a className={classes['place']} href="/docs">
          <IconBook2 size={17} stroke={1.7} aria-hidden />
          API reference
        </a>
        <div className={classes['version']}>Whence {server_version}</div>
      </div>
    </nav>
  );
}

function RailLink({ place: { path, name, icon: Icon } }: { place: Place }) {
  return (
    <Link to={path} className={classes['place']} activeOptions={{ exact: path === '/', includeSearch: false }}>
      <Icon size={17} stroke={1.7} aria-hidden />
      {name}
    </Link>
  );
}
