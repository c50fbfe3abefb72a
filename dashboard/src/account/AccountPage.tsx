import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call, forgetEverything } from '../api/query-client.ts';
import { formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { Facts } from '../parts/Facts.tsx';
import { Page } from '../parts/Page.tsx';
import { Section } from '../parts/Section.tsx';
import { useSignedIn } from '../session/use-account.ts';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { SessionTable } from './SessionTable.tsx';

const ROLE_WORDS = {
  viewer: 'viewer: looks things up',
  member: 'member: looks things up, has keys of their own',
  admin: 'administrator: everything',
} as const;

export function AccountPage() {
  const { account, has_password, look_ups_per_day, expires_at } = useSignedIn();
  const endAll = useMutation({ mutationFn: () => call('endAllSessions', {}), onSuccess: forgetEverything });
  return (
    <Page name="Account" title={account.name}>
      <Section title="Account">
        <Facts
          facts={[
            { name: 'Role', value: ROLE_WORDS[account.role] },
            { name: 'Created', value: <Time at={account.created_at} /> },
            { name: 'Look-ups', value: `up to ${formatNumber(look_ups_per_day)} a day on these pages` },
            {
              name: 'This session',
              value: (
                <>
                  ends <Time at={expires_at} /> at the latest
                </>
              ),
            },
          ]}
        />
      </Section>
      <Section title="Password">
        {has_password ? (
          <PasswordForm />
        ) : (
          <p className="quiet">You sign in through your provider: the password is changed there.</p>
        )}
      </Section>
      <Section
        title="Where you are signed in"
        aside={
          <Button variant="default" size="xs" loading={endAll.isPending} onClick={() => endAll.mutate()}>
            Sign out everywhere
          </Button>
        }
      >
        {endAll.error !== null && <FailureNotice error={endAll.error} />}
        <SessionTable />
      </Section>
    </Page>
  );
}
