/**
 * Tries other records for a domain before they are published: the texts to edit, and what the check
 * says of them.
 */
import { Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { EmailTrial } from '@whence/client/wire';
import type { DomainCheck } from '@whence/server/dashboard-wire/domains';
import { useEffect, useRef, useState } from 'react';
import { refresh, useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { CopyButton } from '../components/Copy.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { Section } from '../components/Page.tsx';
import { IN_PLACE } from '../search-params.ts';
import { Findings } from './CheckSection.tsx';
import { SpfRecord } from './Spf.tsx';
import classes from './TrialEditor.module.css';
import { TrialResult } from './TrialResult.tsx';
import {
  changeOf,
  type EditedRecords,
  editedRecords,
  isEmpty,
  isOfCheck,
  publishedKey,
  type TriedChange,
} from './trial.ts';

const DEBOUNCE_MS = 300;

type TrialEditorProps = { check: DomainCheck; selectors: string; tried: TriedChange };

export function TrialEditor({ check, selectors, tried }: TrialEditorProps) {
  const { report } = check;
  const { domain } = report;
  const [records, setRecords] = useState(() => editedRecords(check, tried));
  const [edited, setEdited] = useState(check);
  // Texts that were not edited follow DNS: an old record must not become a change.
  if (edited !== check) {
    setEdited(check);
    setRecords(editedRecords(check, changeOf(edited, records)));
  }
  const edit = (next: Partial<EditedRecords>) => setRecords((before) => ({ ...before, ...next }));
  const change = changeOf(check, records);
  const text = JSON.stringify(change);
  const [submitted] = useDebouncedValue(text, DEBOUNCE_MS);
  const body = JSON.parse(submitted) as TriedChange;
  const trial = useAnswer(
    'tryDomain',
    { params: { domain }, body: { ...body, ...(selectors === '' ? {} : { selectors }) } },
    { enabled: !isEmpty(body), refetchOnWindowFocus: false },
  );
  // What was answered for an earlier text says nothing about this one.
  const isCurrent = submitted === text;
  const answer = isCurrent ? trial.data?.data : undefined;
  // What DNS has does not change with the text.
  const [present, setPresent] = useState<EmailTrial['before']>();
  const link = useAddress(body, change);
  // The trial of a key also finds one whose selector the page has not asked for.
  const isOutdated =
    answer !== undefined && body.dkim === undefined && !isOfCheck(check, answer.before);

  useEffect(() => {
    if (isOutdated) void refresh('checkDomain');
  }, [isOutdated]);

  useEffect(() => {
    if (answer === undefined) return;
    setPresent(answer.before);
    const broken =
      answer.risks.length === 0
        ? ''
        : `It would break: ${answer.risks.map((risk) => risk.text).join(' ')} `;
    announce(`${broken}Now ${answer.before.score}, after the change ${answer.after.score} of 100`);
  }, [answer]);
  return (
    <Section
      title="Try a change"
      note="Nothing is published. The check runs as if these records were in DNS."
      aside={
        <div className={`${classes['tools']} no-print`}>
          <CopyButton text={link} label="Copy link" word="Copy link" />
          <QuietButton
            icon="arrow-back-up"
            text="Reset"
            disabled={isEmpty(change)}
            onClick={() => setRecords(editedRecords(check, {}))}
          />
        </div>
      }
    >
      <div className={classes['columns']}>
        <div className={classes['records']}>
          <RecordField
            label="SPF record"
            description={txtOf(domain)}
            text={records.spf}
            onChange={(spf) => edit({ spf })}
            hasFocus
          />
          {records.spf.trim() !== '' && (
            <SpfRecord raw={records.spf.trim()} errors={answer?.after.spf_errors ?? []} />
          )}
          <RecordField
            label="DMARC record"
            description={txtOf(`_dmarc.${domain}`)}
            text={records.dmarc}
            onChange={(dmarc) => edit({ dmarc })}
          />
          <Findings errors={answer?.after.dmarc_errors ?? []} />
          <RecordField
            label="MX records"
            description="One host per line, with its preference. Empty means that there is none."
            text={records.mx}
            onChange={(mx) => edit({ mx })}
          />
          <KeyFields report={report} records={records} onEdit={edit} />
        </div>
        <div className={classes['result']}>
          {trial.error !== null && isCurrent && !isEmpty(change) ? (
            <FailureNotice error={trial.error} onRetry={() => void trial.refetch()} />
          ) : (
            <TrialResult
              trial={answer}
              check={check}
              known={present}
              isChanged={!isEmpty(change)}
            />
          )}
        </div>
      </div>
    </Section>
  );
}

const txtOf = (name: string) =>
  `TXT record of ${name}, its text or a line of a zone file. Empty means that there is none.`;

type RecordFieldProps = {
  label: string;
  description: string;
  text: string;
  onChange: (text: string) => void;
  /** When it appears, because the editor was just opened. */
  hasFocus?: boolean;
};

function RecordField({ label, description, text, onChange, hasFocus = false }: RecordFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [isFocused] = useState(hasFocus);
  useEffect(() => {
    if (isFocused) area.current?.focus();
  }, [isFocused]);
  return (
    <div className={classes['field']}>
      <Textarea
        ref={area}
        label={label}
        description={description}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        classNames={{ input: classes['text'] }}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {text.trim() !== '' && (
        <div className="no-print">
          <CopyButton text={text.trim()} label={`Copy ${label}`} word="Copy record" />
        </div>
      )}
    </div>
  );
}

type KeyFieldsProps = {
  report: DomainCheck['report'];
  records: EditedRecords;
  onEdit: (next: Partial<EditedRecords>) => void;
};

function KeyFields({ report, records: { dkim }, onEdit }: KeyFieldsProps) {
  if (dkim === undefined) {
    const selector = report.dkim.find(({ found }) => found)?.selector ?? '';
    return (
      <div className="no-print">
        <QuietButton
          icon="plus"
          text="Try a DKIM key"
          onClick={() => onEdit({ dkim: { selector, text: publishedKey(report, selector) } })}
        />
      </div>
    );
  }
  return (
    <>
      <TextInput
        label="DKIM selector"
        spellCheck={false}
        value={dkim.selector}
        onChange={(event) => onEdit({ dkim: { ...dkim, selector: event.currentTarget.value } })}
      />
      <RecordField
        label="DKIM record"
        description={txtOf(`${dkim.selector.trim() || 'SELECTOR'}._domainkey.${report.domain}`)}
        text={dkim.text}
        onChange={(text) => onEdit({ dkim: { ...dkim, text } })}
      />
    </>
  );
}

/** Keeps the change in the address bar, so that a reload or a pasted link shows it. */
function useAddress(triedChange: TriedChange, change: TriedChange) {
  const navigate = useNavigate({ from: '/domain/$domain' });
  const router = useRouter();
  const text = JSON.stringify(triedChange);
  useEffect(() => {
    void navigate({
      search: (before) => ({ ...before, try: JSON.parse(text) as TriedChange }),
      ...IN_PLACE,
    });
  }, [text, navigate]);
  return () => {
    const search = { ...router.state.location.search, try: change };
    return new URL(router.buildLocation({ to: '.', search }).href, window.location.origin).href;
  };
}
