/** The right side of the header: dataset, theme and account. */
import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import type { DatasetReport, FlagSubject } from '@whence/client/wire';
import { useAnswer } from '../api/query-client.ts';
import {
  IconCheck,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSun,
  IconUser,
  IconUserCircle,
} from '../components/icons.tsx';
import { ageLevel, ageWords, longDay } from '../format/data-age.ts';
import { SUBJECT_WORDS } from '../format/names.ts';
import { useNow } from '../format/Time.tsx';
import { relativeTime } from '../format/time.ts';
import { useSignedIn, useSignOut } from '../session/use-session.ts';
import classes from './HeaderTools.module.css';

const REFRESH_MS = 60_000;

export function DatasetChip() {
  const now = useNow();
  const navigate = useNavigate();
  const { data } = useAnswer('getDataset', {}, { refetchInterval: REFRESH_MS });
  if (data === undefined) return null;
  const { report } = data.data;
  if (report === undefined)
    return (
      <Link to="/data" className={classes['chip']}>
        No dataset yet
      </Link>
    );
  const routes = report.data_sources.prefix?.as_of ?? report.data_as_of;
  return (
    <Menu position="bottom-end" width={280} transitionProps={{ duration: 80 }}>
      <Menu.Target>
        <button type="button" className={classes['chip']} data-age={routes && ageLevel(routes, now)}>
          <span className={classes['long']}>
            {routes === undefined
              ? `Dataset ${report.version}`
              : `Routes of ${longDay(routes, now)}, ${ageWords(routes, now)}`}
          </span>
          {routes !== undefined && (
            <span className={classes['short']} aria-hidden>
              {ageWords(routes, now).replace(/ old$/, '')}
            </span>
          )}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void navigate({ to: '/data' })}>
          Dataset {report.version}, built {relativeTime(Date.parse(report.built_at), now)}
        </Menu.Item>
        <Menu.Divider />
        <dl className={classes['ages']}>
          {agesOf(report).map(([name, day]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd data-age={day && ageLevel(day, now)}>{day === undefined ? 'unknown' : longDay(day, now)}</dd>
            </div>
          ))}
        </dl>
      </Menu.Dropdown>
    </Menu>
  );
}

/** A flag without a source has no date: it is unknown, not false. */
function agesOf({ data_sources, flag_sources }: DatasetReport): [name: string, day: string | undefined][] {
  return [
    ['Country', data_sources.country?.as_of],
    ...(Object.keys(flag_sources) as FlagSubject[]).map((subject): [string, string | undefined] => [
      SUBJECT_WORDS[subject],
      flag_sources[subject].as_of,
    ]),
  ];
}

const CHOICES = [
  { value: 'light', name: 'Light', icon: IconSun },
  { value: 'dark', name: 'Dark', icon: IconMoon },
  { value: 'auto', name: 'System', icon: IconDeviceDesktop },
] as const;

export function ThemeSwitch() {
  // Otherwise Mantine temporarily inserts a <style> element, which the Content-Security-Policy refuses.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const Current = CHOICES.find(({ value }) => value === colorScheme)?.icon ?? IconDeviceDesktop;
  return (
    <Menu position="bottom-end" width={180} transitionProps={{ duration: 80 }}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={36} aria-label="Theme">
          <Current size={18} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {CHOICES.map(({ value, name, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={colorScheme === value ? <IconCheck size={15} aria-label="selected" /> : undefined}
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
        <ActionIcon variant="subtle" color="gray" size={36} aria-label={`Account of ${account.name}`}>
          <IconUserCircle size={20} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes['account']}>
          <div className={classes['name']}>{account.name}</div>
          <div className="quiet">{account.role}</div>
        </div>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconUser size={16} aria-hidden />}
          onClick={() => void navigate({ to: '/settings/account' })}
        >
          Account
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
