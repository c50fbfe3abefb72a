/** The layout of a page: heading, sections, columns, credits, and buttons of the header. */
import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { QuietButton } from './Buttons.tsx';
import { Icon } from './icons.tsx';
import classes from './Page.module.css';

type PageProps = {
  /** Title of the browser tab. */
  name: string;
  title: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

/**
 * A page. Its heading receives the focus when the page opens, so that a screen reader continues
 * from there.
 */
export function Page({ name, title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${name} · Whence`;
  }, [name]);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null) {
      heading.current?.focus({ preventScroll: true });
    }
  }, []);
  return (
    <div className={classes['page']}>
      <header className={classes['head']}>
        <div className={classes['words']}>
          <h1 ref={heading} tabIndex={-1} className={classes['title']}>
            {title}
          </h1>
          {lead !== undefined && <div className={classes['lead']}>{lead}</div>}
        </div>
        {actions !== undefined && <div className={`${classes['actions']} no-print`}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

type SectionProps = {
  title: ReactNode;
  note?: ReactNode;
  aside?: ReactNode;
  children?: ReactNode;
  className?: string;
};

export function Section({ title, note, aside, children, className = '' }: SectionProps) {
  const id = useId();
  return (
    <section className={`${classes['section']} ${className}`} aria-labelledby={id}>
      <div className={classes['sectionHead']}>
        <div>
          <h2 id={id}>{title}</h2>
          {note !== undefined && <p className={classes['note']}>{note}</p>}
        </div>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** The answer in a sentence or two, below the title. */
export function Verdict({ text, tone }: { text: ReactNode; tone?: 'good' | 'warn' | 'bad' }) {
  return (
    <p className={`${classes['verdict']} toned`} data-tone={tone}>
      {text}
    </p>
  );
}

/** Places sections side by side where there is room: two columns, or three if they are narrow. */
export function Columns({
  children,
  isNarrow = false,
}: {
  children: ReactNode;
  isNarrow?: boolean;
}) {
  return (
    <div className={classes['columns']} data-narrow={isNarrow || undefined}>
      {children}
    </div>
  );
}

/** The credit of a list of the operator’s own. */
const NO_CREDIT = 'not given';

/** The attributions that the sources' licences require, on every page that shows their data. */
export function Credits({ credits }: { credits: readonly string[] }) {
  // A source that combines others credits them too. A credit that is part of a longer one is not
  // repeated.
  const distinct = [...new Set(credits.map((credit) => credit.replace(/\.$/, '')))];
  const shown = distinct.filter(
    (credit) =>
      credit !== NO_CREDIT && !distinct.some((other) => other !== credit && other.includes(credit)),
  );
  return shown.join('') !== '' && <p className={classes['credits']}>Data: {shown.join(' · ')}</p>;
}

/** Prints the page. The print style sheet hides the controls. */
export function PrintButton() {
  return (
    <QuietButton
      icon="printer"
      text="Print"
      className={classes['print']}
      onClick={() => window.print()}
    />
  );
}

/** Links to files that the server generates. */
export function ExportLinks({ addressOf }: { addressOf: (format: 'csv' | 'ndjson') => string }) {
  return (['csv', 'ndjson'] as const).map((format) => (
    <Button
      key={format}
      component="a"
      href={addressOf(format)}
      download
      variant="default"
      size="xs"
      leftSection={<Icon name="download" size={15} />}
    >
      {format.toUpperCase()}
    </Button>
  ));
}
