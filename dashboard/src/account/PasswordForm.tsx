import { Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { isFailure } from '../api/failure.ts';
import { call, queryClient, setSession } from '../api/query-client.ts';
import { MIN_PASSWORD } from '../session/password-rule.ts';
import { useSignedIn } from '../session/use-account.ts';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { Notice } from '../states/Notice.tsx';
import classes from './PasswordForm.module.css';

export function PasswordForm() {
  const { account } = useSignedIn();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () => call('changePassword', { body: { current_password: current, new_password: next } }),
    onSuccess: ({ data }) => {
      setSession(data);
      setCurrent('');
      setNext('');
      void queryClient.invalidateQueries({ queryKey: ['listSessions'] });
    },
  });
  const isWrong = isFailure(change.error, 'INVALID_CREDENTIALS');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form className={classes['form']} onSubmit={submit}>
      {/* Password managers look for the name beside the password. */}
      <input type="text" name="username" autoComplete="username" value={account.name} readOnly hidden />
      {change.isSuccess && <Notice tone="good" title="The password is changed. Other sessions were signed out." />}
      {change.error !== null && !isWrong && <FailureNotice error={change.error} />}
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        error={isWrong ? 'This is not the current password' : undefined}
        value={current}
        onChange={(event) => setCurrent(event.currentTarget.value)}
      />
      <PasswordInput
        label="New password"
        description={`At least ${MIN_PASSWORD} characters`}
        autoComplete="new-password"
        required
        withAsterisk={false}
        minLength={MIN_PASSWORD}
        value={next}
        onChange={(event) => setNext(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" loading={change.isPending}>
          Change password
        </Button>
      </div>
    </form>
  );
}
