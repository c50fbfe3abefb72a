import { Link } from '@tanstack/react-router';
import { Page } from '../parts/Page.tsx';
import { useRole } from '../session/use-account.ts';
import { SETTINGS_PLACES } from './places.ts';
import classes from './SettingsPage.module.css';

/** On a phone the way to the settings; elsewhere the rail has them. */
export function SettingsPage() {
  const { isAtLeast } = useRole();
  return (
    <Page name="Settings" title="Settings">
      <ul className={classes['list']}>
        {SETTINGS_PLACES.filter(({ role }) => isAtLeast(role)).map(({ path, name, icon: Icon, about }) => (
          <li key={path}>
            <Link to={path} className={classes['place']}>
              <Icon size={20} stroke={1.6} aria-hidden />
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
