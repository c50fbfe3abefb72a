/** A newly created key, and the confirmation before it is left without a copy. */
import { Tabs } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { CreatedKey } from '@whence/server/dashboard-wire/keys';
import type { Permission } from '@whence/server/vocabulary';
import { useAnswer } from '../api/query-client.ts';
import { QuietButton, TextButton } from '../components/Buttons.tsx';
import { CodeBlock } from '../components/Copy.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { Icon } from '../components/icons.tsx';
import { Notice } from '../components/Notice.tsx';
import { PERMISSION_WORDS } from '../format/names.ts';
import { Time } from '../format/Time.tsx';
import classes from './CreateKeyDialog.module.css';

const POLL_MS = 1500;

/**
 * The new key, shown once: alone, for an .env file and as a request; and whether it has been used
 * yet.
 */
export function NewSecret({
  created: { key, secret },
  onCopied,
}: {
  created: CreatedKey;
  onCopied: () => void;
}) {
  const { origin } = window.location;
  return (
    <>
      <Notice tone="warn" title="Copy the key now. It is shown only once.">
        <p>The server stores only a hash. A lost key cannot be recovered, only replaced.</p>
      </Notice>
      <Tabs defaultValue="key">
        <Tabs.List>
          <Tabs.Tab value="key">Key</Tabs.Tab>
          <Tabs.Tab value="env">.env</Tabs.Tab>
          <Tabs.Tab value="curl">curl</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="key" pt={12}>
          <CodeBlock text={secret} label="API key" onCopied={onCopied} />
        </Tabs.Panel>
        <Tabs.Panel value="env" pt={12}>
          <CodeBlock
            text={`WHENCE_URL=${origin}\nWHENCE_KEY=${secret}`}
            label=".env lines"
            onCopied={onCopied}
          />
        </Tabs.Panel>
        <Tabs.Panel value="curl" pt={12}>
          <CodeBlock
            text={exampleCurl(origin, secret, key.permissions)}
            label="request"
            onCopied={onCopied}
          />
        </Tabs.Panel>
      </Tabs>
      <FirstRequest id={key.id} />
    </>
  );
}

function FirstRequest({ id }: { id: string }) {
  const { data } = useAnswer(
    'getKey',
    { params: { id } },
    {
      refetchInterval: ({ state }) =>
        state.data?.data.key.first_use === undefined ? POLL_MS : false,
    },
  );
  const use = data?.data.key.first_use;
  // An address without data (404) or an invalid request (400) does not mean that the key was
  // refused.
  const isRefused = use !== undefined && ([403, 429].includes(use.status) || use.status >= 500);
  return (
    <p className={classes['test']} role="status">
      {use === undefined ? (
        <>
          <span className={classes['pulse']} aria-hidden />
          Waiting for the first request…
        </>
      ) : (
        <span className={classes[isRefused ? 'refused' : 'works']}>
          {isRefused ? (
            <Icon name="alert-triangle" size={16} />
          ) : (
            <Icon name="circle-check" size={16} />
          )}{' '}
          {isRefused ? 'The key is valid, but its first request was refused' : 'It works'}:{' '}
          {use.status} from <span className="mono">{use.from}</span>, <Time at={use.at} />.
        </span>
      )}
    </p>
  );
}

/** Asks for confirmation before a page with an uncopied key is left by a link, Back or a reload. */
export function ConfirmLeave({ isActive }: { isActive: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => isActive,
    enableBeforeUnload: isActive,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog onClose={blocker.reset} title="Leave without the key?">
      <div className={classes['form']}>
        <p>
          The key was not copied and cannot be shown again. Without a copy, revoke it and create a
          new one.
        </p>
        <div className={classes['actions']}>
          <QuietButton size="sm" text="Leave without copying" onClick={blocker.proceed} />
          <TextButton data-autofocus text="Stay" onClick={blocker.reset} />
        </div>
      </div>
    </Dialog>
  );
}

/** A request that works with these permissions. */
function exampleCurl(origin: string, secret: string, permissions: readonly Permission[]): string {
  const [first = 'ip:read'] = permissions;
  if (first === 'ip:batch') {
    return `curl -H 'X-API-Key: ${secret}' -H 'Content-Type: application/json' \\\n  -d '{"ips":["8.8.8.8","1.1.1.1"]}' '${origin}/v1/ip/batch'`;
  }
  return `curl -H 'X-API-Key: ${secret}' '${origin}${PERMISSION_WORDS[first].path}'`;
}
