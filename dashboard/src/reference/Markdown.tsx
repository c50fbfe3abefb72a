/**
 * The Markdown of the introduction: headings, paragraphs, numbered lists, tables, code, and `code`
 * in a line.
 */
import { Fragment, type ReactNode } from 'react';
import { CodeBlock } from '../components/Copy.tsx';
import { Section } from '../components/Page.tsx';
import { Table } from '../components/Table.tsx';
import classes from './ReferencePage.module.css';

/** A section for each heading; what precedes the first one is a paragraph. */
export function Markdown({ text }: { text: string }) {
  return text.split(/^# /m).map((part, index) => {
    const [title = '', ...lines] = part.split('\n');
    if (index === 0) return part.trim() !== '' && <Blocks key={part} text={part} />;
    return (
      <Section key={part} title={title}>
        <Blocks text={lines.join('\n')} />
      </Section>
    );
  });
}

function Blocks({ text }: { text: string }) {
  return text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .map((block) => <Block key={block} text={block} />);
}

function Block({ text }: { text: string }) {
  const lines = text.split('\n');
  if (text.startsWith('```'))
    return <CodeBlock text={lines.slice(1, -1).join('\n')} label="command" />;
  if (text.startsWith('|')) return <TableBlock lines={lines} />;
  if (/^1\. /.test(text))
    return (
      <ol className={classes['list']}>
        {text.split(/\n?^\d\. /m).map(
          (item) =>
            item !== '' && (
              <li key={item}>
                <Inline text={item} />
              </li>
            ),
        )}
      </ol>
    );
  return (
    <p>
      <Inline text={text} />
    </p>
  );
}

function TableBlock({ lines }: { lines: readonly string[] }) {
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [head = '', , ...rows] = lines;
  const names = cellsOf(head);
  return (
    <Table
      label={names.join(', ')}
      columns={names.map((name, at) => ({
        name,
        isText: true,
        cell: (row: string[]) => <Inline text={row[at] ?? ''} />,
      }))}
      rows={rows.map(cellsOf)}
    />
  );
}

/** Text with `code` in it. */
export function Inline({ text }: { text: string }): ReactNode {
  return text.split('`').map((part, index) => {
    const content = index % 2 === 1 ? <code>{part}</code> : part;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move.
    return <Fragment key={index}>{content}</Fragment>;
  });
}
