/** Sends a request of the reference and shows what the server answers, and the same as curl. */
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { TextButton } from '../components/Buttons.tsx';
import { CodeBlock } from '../components/Copy.tsx';
import { Form } from '../components/Form.tsx';
import {
  exampleOf,
  jsonOf,
  type OperationProps,
  type Parameter,
  requiredFirst,
} from './openapi.ts';
import classes from './ReferencePage.module.css';

export function TryOperation({
  document,
  route: { method, path, operation },
  apiKey,
}: OperationProps) {
  const { requestBody, security = [], summary } = operation;
  const parameters = requiredFirst(operation.parameters);
  const [values, setValues] = useState(
    () => new Map(parameters.map((parameter) => [parameter.name, firstValue(parameter)])),
  );
  const [body, setBody] = useState(() =>
    JSON.stringify(exampleOf(jsonOf(requestBody)) ?? {}, null, 2),
  );
  const hasBody = requestBody !== undefined;
  const target = targetOf(path, parameters, values);
  const send = useMutation({
    mutationFn: async () => {
      const response = await fetch(target, {
        method,
        headers: {
          ...(apiKey === '' ? {} : { 'X-API-Key': apiKey }),
          ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
        },
        ...(hasBody ? { body } : {}),
      });
      return { status: response.status, text: await response.text() };
    },
  });
  const curl = [
    'curl',
    ...(hasBody
      ? ["-H 'Content-Type: application/json'", `-d '${body.replaceAll(/\s*\n\s*/g, ' ')}'`]
      : []),
    ...(security.length > 0 ? ['-H "X-API-Key: $WHENCE_KEY"'] : []),
    `'${document.servers[0]?.url ?? ''}${target}'`,
  ].join(' ');
  return (
    <Form mutation={send}>
      <div className={classes['fields']}>
        {parameters.map(({ name, required = false, schema }) => {
          const field = {
            label: name,
            'aria-label': `${name} of ${summary}`,
            required,
            value: values.get(name),
            onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
              setValues((before) => new Map(before).set(name, value)),
          };
          const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String);
          if (choices === undefined) return <TextInput key={name} {...field} spellCheck={false} />;
          return (
            <NativeSelect key={name} {...field} data={required ? choices : ['', ...choices]} />
          );
        })}
      </div>
      {hasBody && (
        <Textarea
          label="Body"
          autosize
          maxRows={16}
          spellCheck={false}
          value={body}
          onChange={(event) => setBody(event.currentTarget.value)}
        />
      )}
      <CodeBlock text={curl} label="curl command" />
      <div>
        <TextButton type="submit" size="xs" text="Send request" loading={send.isPending} />
      </div>
      {send.data !== undefined && (
        <div role="status" className={classes['content']}>
          <p>Status {send.data.status}</p>
          {send.data.text !== '' && <CodeBlock text={indented(send.data.text)} label="answer" />}
        </div>
      )}
    </Form>
  );
}

/** Optional parameters are left to the reader. */
function firstValue({ required = false, example }: Parameter): string {
  return required && example !== undefined ? String(example) : '';
}

function targetOf(
  path: string,
  parameters: readonly Parameter[],
  values: ReadonlyMap<string, string>,
): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: place } of parameters) {
    const value = values.get(name)?.trim() ?? '';
    if (place === 'path')
      filled = filled.replace(`{${name}}`, name === 'cidr' ? value : encodeURIComponent(value));
    else if (place === 'query' && value !== '') query.set(name, value);
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
