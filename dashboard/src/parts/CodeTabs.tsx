import { Tabs } from '@mantine/core';
import { CodeBox } from '../copy/CodeBox.tsx';

export type CodeTab = { readonly name: string; readonly text: string };

/** The same answer for programs: JSON, and how to ask for it. */
export function CodeTabs({ tabs }: { tabs: readonly CodeTab[] }) {
  return (
    <Tabs defaultValue={tabs[0]?.name ?? null} keepMounted={false} className="no-print">
      <Tabs.List>
        {tabs.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, text }) => (
        <Tabs.Panel key={name} value={name} pt={12}>
          <CodeBox text={text} label={name} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** How a program asks for the same: with a key, while these pages use the session. */
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
