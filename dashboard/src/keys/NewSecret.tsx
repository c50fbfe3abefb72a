import { Tabs } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { CreatedKey } from '@whence/server/dashboard-wire';
import { answerQuery } from '../api/query-client.ts';
import { CodeBox } from '../copy/CodeBox.tsx';
import { Time } from '../format/Time.tsx';
import { Notice } from '../states/Notice.tsx';
import classes from './CreateKeyDialog.module.css';
import { exampleCurl } from './permissions.ts';

const POLL_MS = 1500;

/** The key, shown once: alone, for an .env file, as a request; and whether it has been used yet. */
export function NewSecret({ created: { key, secret }, onCopied }: { created: CreatedKey; onCopied: () => void }) {
  const { origin } = window.location;
  return (
    <>
      <Notice tone="warn" title="Copy it now: it is shown only this once">
        <p>The server keeps a hash. A lost key can only be replaced.</p>
      </Notice>
      <Tabs defaultValue="key">
        <Tabs.List>
          <Tabs.Tab value="key">Key</Tabs.Tab>
          <Tabs.Tab value="env">.env</Tabs.Tab>
          <Tabs.Tab value="curl">curl</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="key" pt={12}>
          <CodeBox text={secret} label="API key" onCopied={onCopied} />
        </Tabs.Panel>
        <Tabs.Panel value="env" pt={12}>
          <CodeBox text={`WHENCE_URL=${origin}\nWHENCE_KEY=${secret}`} label=".env lines" onCopied={onCopied} />
        </Tabs.Panel>
        <Tabs.Panel value="curl" pt={12}>
          <CodeBox text={exampleCurl(origin, secret, key.permissions)} label="request" onCopied={onCopied} />
        </Tabs.Panel>
      </Tabs>
      <FirstRequest id={key.id} />
    </>
  );
}

function FirstRequest({ id }: { id: string }) {
  const { data } = useQuery({
    ...answerQuery('getKey', { params: { id } }),
    refetchInterval: ({ state }) => (state.data?.data.key.first_use === undefined ? POLL_MS : false),
  });
  const use = data?.data.key.first_use;
  // An address without data (404) or a mistake in the request (400) says nothing against the key.
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
          {isRefused ? <IconAlertTriangle size={16} aria-hidden /> : <IconCircleCheck size={16} aria-hidden />}{' '}
          {isRefused ? 'The key is known, but its first request was refused' : 'It works'}: {use.status} from{' '}
          <span className="mono">{use.from}</span>, <Time at={use.at} />.
        </span>
      )}
    </p>
  );
}
