/** The API reference: the OpenAPI document of this server, with requests that can be tried. */
import { PasswordInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { CodeBlock } from '../components/Copy.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Page, Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Inline, Markdown } from './Markdown.tsx';
import {
  exampleOf,
  type FieldRow,
  fieldsOf,
  jsonOf,
  type OpenApi,
  type OperationProps,
  type Parameter,
  requiredFirst,
  routesByTag,
  typeOf,
} from './openapi.ts';
import classes from './ReferencePage.module.css';
import { TryOperation } from './TryOperation.tsx';

export function ReferencePage() {
  const document = useQuery({
    queryKey: ['openapi'],
    queryFn: async ({ signal }) =>
      (await (await fetch('/openapi.json', { signal })).json()) as OpenApi,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Page
      name="API reference"
      title="API reference"
      lead={
        <p>
          Every request of this server, also as <a href="/openapi.json">openapi.json</a>.
        </p>
      }
    >
      <Loaded query={document} shape={[['bars'], ['table'], ['table']]}>
        {(data) => <Reference document={data} />}
      </Loaded>
    </Page>
  );
}

function Reference({ document }: { document: OpenApi }) {
  const [key, setKey] = useState('');
  // The first section is how to begin; the others are tables to look something up in.
  const [start = '', first = '', ...others] = document.info.description.split(/^(?=# )/m);
  return (
    <>
      <Markdown text={start + first} />
      <PasswordInput
        className={classes['key']}
        label="API key"
        description="For requests that you try on this page. It is forgotten when you leave."
        placeholder="whence_…"
        autoComplete="off"
        value={key}
        onChange={(event) => setKey(event.currentTarget.value.trim())}
      />
      {routesByTag(document).map(({ name, description = '', routes }) => (
        <Section key={name} title={name} note={description}>
          {routes.map((route) => (
            <Operation
              key={route.operation.operationId}
              document={document}
              route={route}
              apiKey={key}
            />
          ))}
        </Section>
      ))}
      <Markdown text={others.join('')} />
    </>
  );
}

/** Its content is made when it is opened: the document has thousands of fields. */
function Operation({ document, route, apiKey }: OperationProps) {
  const { method, path, operation } = route;
  const id = operation.operationId;
  const [isOpen, setIsOpen] = useState(() => window.location.hash === `#${id}`);
  useEffect(() => {
    if (window.location.hash === `#${id}`) window.document.getElementById(id)?.scrollIntoView();
  }, [id]);
  return (
    <details
      id={id}
      className={classes['operation']}
      open={isOpen}
      onToggle={(event) => {
        const { open } = event.currentTarget;
        setIsOpen(open);
        // The router has no part in it: the page stays.
        if (open) window.history.replaceState(window.history.state, '', `#${id}`);
      }}
    >
      <summary>
        <h3>{operation.summary}</h3>
        <span className={classes['path']}>
          <strong>{method}</strong> {path}
        </span>
      </summary>
      {isOpen && <OperationContent document={document} route={route} apiKey={apiKey} />}
    </details>
  );
}

const fieldColumns: Column<FieldRow>[] = [
  { name: 'Field', cell: ({ name }) => <code>{name}</code> },
  { name: 'Type', isText: true, cell: ({ type }) => type },
  { name: 'Meaning', isText: true, cell: ({ description }) => <Inline text={description} /> },
];

function OperationContent({ document, route, apiKey }: OperationProps) {
  const { operation } = route;
  const { description, parameters = [], requestBody, responses, summary } = operation;
  const answer = jsonOf(responses['200']);
  const example = exampleOf(answer);
  const fields = fieldsOf(document, answer?.schema).filter(({ name }) => name !== 'data');
  return (
    <div className={classes['content']}>
      {description !== undefined && (
        <p>
          <Inline text={description} />
        </p>
      )}
      {parameters.length > 0 && (
        <Table
          isStacked
          label={`Parameters of ${summary}`}
          columns={parameterColumns(document)}
          rows={requiredFirst(parameters)}
        />
      )}
      {requestBody !== undefined && (
        <Table
          isStacked
          label={`Body of ${summary}`}
          columns={fieldColumns}
          rows={fieldsOf(document, jsonOf(requestBody)?.schema)}
        />
      )}
      <TryOperation document={document} route={route} apiKey={apiKey} />
      <Table
        isStacked
        label={`Answers of ${summary}`}
        columns={answerColumns}
        rows={Object.entries(responses).map(([status, { description: words = '' }]) => ({
          status,
          words,
        }))}
      />
      {example !== undefined && (
        <CodeBlock text={JSON.stringify(example, null, 2)} label="example of an answer" />
      )}
      {fields.length > 0 && (
        <details>
          <summary>Fields of the answer</summary>
          <Table isStacked label={`Fields of ${summary}`} columns={fieldColumns} rows={fields} />
        </details>
      )}
    </div>
  );
}

const answerColumns: Column<{ status: string; words: string }>[] = [
  { name: 'Status', cell: ({ status }) => status },
  { name: 'Answer', isText: true, cell: ({ words }) => <Inline text={words} /> },
];

const parameterColumns = (document: OpenApi): Column<Parameter>[] => [
  {
    name: 'Parameter',
    cell: ({ name, required }) => (
      <>
        <code>{name}</code>
        {required ? ' (required)' : ''}
      </>
    ),
  },
  { name: 'Type', isText: true, cell: ({ schema }) => typeOf(document, schema) },
  { name: 'Meaning', isText: true, cell: ({ description = '' }) => <Inline text={description} /> },
];
