import { ActionIcon, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { KeySummary } from '@whence/server/dashboard-wire/keys';
import { Icon, type IconName } from '../components/icons.tsx';
import { announce } from '../components/LiveRegion.tsx';

export type KeyAction = 'edit' | 'pause' | 'resume' | 'revoke';

type KeyMenuProps = { summary: KeySummary; onAction: (action: KeyAction, key: KeySummary) => void };

/** What can be done with a key, in its row. */
export function KeyMenu({ summary, onAction }: KeyMenuProps) {
  const navigate = useNavigate();
  const { id, name, status, paused_at } = summary;
  const copyId = async () => {
    try {
      await navigator.clipboard.writeText(id);
      announce(`The id of ${name} was copied`);
    } catch {
      announce('The id could not be copied');
    }
  };
  const item = (action: KeyAction, icon: IconName, text: string) => (
    <Menu.Item
      leftSection={<Icon name={icon} size={16} />}
      onClick={() => onAction(action, summary)}
    >
      {text}
    </Menu.Item>
  );
  return (
    <Menu position="bottom-end" width={200} transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={30} aria-label={`Actions for ${name}`}>
          <Icon name="dots" size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="copy" size={16} />} onClick={() => void copyId()}>
          Copy id
        </Menu.Item>
        {status === 'active' && (
          <>
            {item('edit', 'pencil', 'Edit…')}
            <Menu.Item
              leftSection={<Icon name="refresh" size={16} />}
              onClick={() => void navigate({ to: '/keys/$id/rotate', params: { id } })}
            >
              Rotate…
            </Menu.Item>
            {paused_at === undefined
              ? item('pause', 'player-pause', 'Pause…')
              : item('resume', 'player-play', 'Resume')}
            <Menu.Divider />
            {item('revoke', 'ban', 'Revoke…')}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
