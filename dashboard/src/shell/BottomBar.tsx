import { Link } from '@tanstack/react-router';
import { MAIN_PLACES, SETTINGS_PLACE } from './places.ts';
import classes from './Shell.module.css';

/** The same places within reach of a thumb, below 1024 px. */
export function BottomBar() {
  return (
    <nav className={classes['bar']} aria-label="Main, at the bottom">
      {[...MAIN_PLACES, SETTINGS_PLACE].map(({ path, name, icon: Icon }) => (
        <Link key={path} to={path} activeOptions={{ exact: path === '/', includeSearch: false }}>
          <Icon size={20} stroke={1.6} aria-hidden />
          {name}
        </Link>
      ))}
    </nav>
  );
}
