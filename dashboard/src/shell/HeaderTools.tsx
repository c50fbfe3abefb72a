/** The right side of the header: dataset, theme and account. */
import { ActionIcon, Menu, Popover, useMantineColorScheme } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import type { DataAge, DataGroup } from '@whence/server/dashboard-wire/dataset';
import { useAnswer } from '../api/query-client.ts';
import { Icon } from '../components/icons.tsx';
import { THEMES } from '../components/navigation-items.ts';
import { ageLevel, ageWords, longDay, routesOf } from '../format/data-age.ts';
import { capitalise, ROLE_WORDS, SUBJECT_WORDS } from '../format/names.ts';
import { useNow } from '../format/Time.tsx';
import { relativeTime } from '../format/time.ts';
import { useSignedIn, useSignOut } from '../session/use-session.ts';
import classes from './HeaderTools.module.css';

const REFRESH_MS = 60_000;

/** `path` is that of the page on screen. */
export function DatasetChip({ path }: { path: string }) {
  const now = useNow();
  // An address with a colon is IPv6, and so are the routes that its page uses.
  const isIpv6 = /^\/(ip|prefix)\/.*(:|%3A)/i.test(path);
  const { data } = useAnswer('getDataAges', {}, { refetchInterval: REFRESH_MS });
  if (data === undefined) return null;
  const { version, built_at, groups } = data.data;
  if (version === undefined || built_at === undefined)
    return (
      <Link to="/data" className={classes['chip']}>
        No dataset yet
      </Link>
    );
  const routes = routesOf(groups, isIpv6 ? 'ipv6' : 'ipv4');
  const day = routes?.as_of;
  return (
    <Popover
      position="bottom-end"
      width={330}
      transitionProps={{ duration: 80 }}
      withRoles
      trapFocus
    >
      <Popover.Target>
        <button type="button" className={classes['chip']} data-age={day && ageLevel(day, now)}>
          <span className={classes['long']}>
            {routes === undefined || day === undefined
              ? `Dataset ${version}`
              : `${groupWords(routes)} of ${longDay(day, now)}, ${ageWords(day, now)}`}
          </span>
          {day !== undefined && (
            <span className={classes['short']} aria-hidden>
              {ageWords(day, now).replace(/ old$/, '')}
            </span>
          )}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Age of the data">
        <p className={classes['built']}>
          <Link to="/data">Dataset {version}</Link>, built {relativeTime(Date.parse(built_at), now)}
          . Each group is as old as its oldest source:
        </p>
        <dl className={classes['ages']}>
          {groups.map((group) => (
            <div key={groupWords(group)}>
              <dt>{groupWords(group)}</dt>
              <dd data-age={group.as_of && ageLevel(group.as_of, now)}>
                {group.as_of === undefined ? 'unknown' : longDay(group.as_of, now)}
                <span className={classes['source']}>{group.source ?? 'no source'}</span>
              </dd>
            </div>
          ))}
        </dl>
      </Popover.Dropdown>
    </Popover>
  );
}

const GROUP_WORDS: Readonly<Record<DataGroup, string>> = {
  prefix: 'Routes',
  country: 'Countries',
  ...SUBJECT_WORDS,
};
const FAMILY_WORDS = { ipv4: 'IPv4', ipv6: 'IPv6' } as const;

function groupWords({ group, family }: DataAge): string {
  const words = GROUP_WORDS[group];
  return family === undefined
    ? capitalise(words)
    : `${FAMILY_WORDS[family]} ${words.toLowerCase()}`;
}

export function ThemeSwitch() {
  // Otherwise Mantine temporarily inserts a <style> element, which the Content-Security-Policy
  // refuses.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const current = THEMES.find(({ value }) => value === colorScheme)?.icon ?? 'device-desktop';
  return (
    <Menu position="bottom-end" width={180} transitionProps={{ duration: 80 }}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={36} aria-label="Theme">
          <Icon name={current} size={18} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {THEMES.map(({ value, name, icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon name={icon} size={16} />}
            rightSection={
              colorScheme === value ? (
                <Icon name="check" size={15} aria-label="selected" />
              ) : undefined
            }
            onClick={() => setColorScheme(value)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

export function AccountMenu() {
  const { account } = useSignedIn();
  const navigate = useNavigate();
  const signOut = useSignOut();
  return (
    <Menu position="bottom-end" width={220} transitionProps={{ duration: 80 }}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={`Account of ${account.name}`}
        >
          <Icon name="user" size={20} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes['account']}>
          <div className={classes['name']}>{account.name}</div>
          <div className="quiet">{ROLE_WORDS[account.role].name}</div>
        </div>
        <Menu.Divider />
        <Menu.Item
          leftSection={<Icon name="user" size={16} />}
          onClick={() => void navigate({ to: '/settings/account' })}
        >
          Account
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="settings" size={16} />}
          onClick={() => void navigate({ to: '/settings' })}
        >
          Settings
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="logout" size={16} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
