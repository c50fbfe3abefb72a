import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isFailure } from '../api/call.ts';
import { call } from '../api/query-client.ts';
import { TextButton } from '../components/Buttons.tsx';
import { Form } from '../components/Form.tsx';
import { SignedOutLayout } from './SignedOutLayout.tsx';

/**
 * Where the link in a message to a new recipient leads. A button, because programs that look for
 * harmful links open them.
 */
export function ConfirmAlertsPage() {
  const [token] = useState(() => window.location.hash.slice(1));
  useEffect(() => {
    document.title = 'Confirm alerts · Whence';
  }, []);
  const confirm = useMutation({
    mutationFn: () => call('confirmRecipient', { body: { token } }),
  });
  if (confirm.isSuccess)
    return (
      <SignedOutLayout
        title="You will receive alerts"
        lead="A message is sent when the mail of a watched domain breaks and when it works again, and a summary every week. You can close this page."
      />
    );
  if (token === '' || isFailure(confirm.error, 'LINK_EXPIRED'))
    return (
      <SignedOutLayout
        title="This link is no longer valid"
        lead="A link works once, for seven days. The administrator can send another one."
      />
    );
  return (
    <SignedOutLayout
      title="Receive alerts of watched domains?"
      lead="Messages are sent to the address that received this link. To receive none, close this page."
    >
      <Form mutation={confirm}>
        <TextButton type="submit" text="Receive alerts" loading={confirm.isPending} />
      </Form>
    </SignedOutLayout>
  );
}
