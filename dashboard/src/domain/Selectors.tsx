import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import classes from './Selectors.module.css';

/** DKIM selectors cannot be listed from DNS: the common ones are tried, others must be named. */
export function Selectors({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(text.trim());
  };
  return (
    <form className={`${classes['form']} no-print`} onSubmit={submit}>
      <TextInput
        label="Selectors"
        description="DNS cannot list them. Leave empty to try the common ones; separate several with commas."
        placeholder="s1, s2"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" variant="default">
        Check these
      </Button>
    </form>
  );
}
