/** Code in tabs, such as a response and the requests that return it. Not loaded with every page. */
import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { IN_PLACE } from '../search-params.ts';
import { CodeBlock } from './Copy.tsx';

type CodeTab = { readonly name: string; readonly text: string };

/** The address bar has the tab that is shown; the first needs no parameter. */
export function CodeTabs({ tabs }: { tabs: readonly CodeTab[] }) {
  const { code } = useSearch({ strict: false });
  const navigate = useNavigate();
  const first = tabs[0]?.name ?? '';
  const choose = (name: string | null) =>
    void navigate({
      to: '.',
      search: (before: object) => ({
        ...before,
        code: name === first ? undefined : (name ?? undefined),
      }),
      ...IN_PLACE,
    });
  return (
    <Tabs
      value={tabs.find(({ name }) => name === code)?.name ?? first}
      onChange={choose}
      keepMounted={false}
      className="no-print"
    >
      <Tabs.List>
        {tabs.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, text }) => (
        <Tabs.Panel key={name} value={name} pt={12}>
          <CodeBlock text={text} label={name} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/**
 * The response as JSON, and the same request for programs, which use an API key instead of the
 * session.
 */
export function requestTabs(answer: unknown, path: string, clientCall: string): CodeTab[] {
  const { origin } = window.location;
  return [
    { name: 'JSON', text: JSON.stringify(answer, null, 2) },
    { name: 'curl', text: `curl -H "X-API-Key: $WHENCE_KEY" '${origin}${path}'` },
    {
      name: '@whence/client',
      text: `import { createClient } from '@whence/client';\n\nconst whence = createClient({ baseUrl: '${origin}', apiKey: process.env.WHENCE_KEY });\nconst answer = await whence.${clientCall};`,
    },
  ];
}
