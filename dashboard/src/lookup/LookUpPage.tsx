/**
 * The place for looking things up: one subject opens its page, several lines, a file or a log are
 * looked up as a batch.
 */
import { Link, useNavigate } from '@tanstack/react-router';
import { useLeakedKey } from '../api/use-leaked-key.ts';
import { AddressScanner, MAX_ADDRESSES } from '../batch/address-scanner.ts';
import { BatchInput } from '../batch/BatchInput.tsx';
import { BatchAnswer, BatchResults } from '../batch/BatchResults.tsx';
import { currentRun } from '../batch/batch-run.ts';
import { RunPage } from '../batch/RunPage.tsx';
import { readRecent, subjectOf } from '../browser-storage/recent-subjects.ts';
import { Notice } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { interpret, pastedLines, typedAddresses } from '../interpret.ts';
import type { ScanInput } from '../scan.ts';
import { useSignedIn } from '../session/use-session.ts';
import classes from './Examples.module.css';
import { Examples } from './Examples.tsx';
import { useFollow } from './use-follow.ts';
import {
  MAX_SCANNED,
  runSuggestions,
  type Suggestion,
  targetSuggestion,
} from './use-suggestions.ts';

const WORDS = {
  one: 'address',
  many: 'addresses',
  act: 'Look up',
  done: 'looked up',
  placeholder:
    'An address, prefix, network or domain. Or many: paste lines, or drop a log, CSV or JSON, optionally gzipped. A file is read in your browser; only its addresses are sent to the server.',
  invalid: 'such as 300.1.1.1',
  limit: MAX_ADDRESSES,
  kept: 'The last five lists are kept in the browser that read them, until you sign out.',
} as const;

export function LookUpPage() {
  const { max_batch } = useSignedIn();
  return (
    <RunPage
      name="Look up"
      lead="One subject opens its page; several lines, a file or a log become a list."
      answer={(rows) => <BatchAnswer rows={rows} />}
      run={currentRun}
      chunkSize={max_batch}
      words={WORDS}
      start={(onStart) => <Start onStart={onStart} />}
    >
      {(state) => <BatchResults state={state} />}
    </RunPage>
  );
}

function Start({ onStart }: { onStart: (input: ScanInput) => void }) {
  const follow = useFollow();
  const navigate = useNavigate();
  // A whole key leads to its page, and is neither searched for nor put into the address bar.
  const { leaked, look } = useLeakedKey((id) => {
    void navigate({ to: '/keys/$id', params: { id }, search: { pasted: 'yes' } });
  });
  const isLine = (text: string) => !text.trim().includes('\n');
  const start = (input: ScanInput) => {
    if ('file' in input) return onStart(input);
    if (leaked !== undefined) return;
    const { suggestion, problem } = firstSuggestion(input.text);
    if (suggestion !== undefined) follow(suggestion);
    else if (problem === undefined) onStart(input);
  };
  const hint = (text: string) => {
    const { suggestion, problem } = firstSuggestion(text);
    return suggestion?.words ?? problem;
  };
  return (
    <>
      <BatchInput
        words={WORDS}
        onStart={start}
        hint={leaked === undefined ? hint : () => undefined}
        replace={(text) => (isLine(text) ? look(text)?.masked : undefined)}
      />
      {leaked?.problem !== undefined && <Notice tone="warn" title={leaked.problem} />}
      <Recent />
      <Examples />
    </>
  );
}

/** The most likely meaning of a text that nothing is requested for, or why it has none. */
function firstSuggestion(text: string): {
  suggestion: Suggestion | undefined;
  problem: string | undefined;
} {
  const list = pastedLines(text) ?? typedAddresses(text);
  if (list !== undefined) return { suggestion: runSuggestions(list)[0], problem: undefined };
  const { targets, problem } = interpret(text);
  // A line of a log is more likely than a network with such a name.
  if (targets[0]?.kind === 'name' || problem !== undefined) {
    const scanner = new AddressScanner();
    scanner.push(text.slice(0, MAX_SCANNED));
    scanner.finish();
    const { unique } = scanner.counts;
    if (unique > 0 && /\s/.test(text.trim())) {
      const words = `batch of ${unique} ${unique === 1 ? 'address' : 'addresses'}`;
      return { suggestion: runSuggestions({ text, words })[0], problem: undefined };
    }
  }
  return { suggestion: targets.map(targetSuggestion)[0], problem };
}

/** Subjects that this account has opened in this browser. */
function Recent() {
  const { account } = useSignedIn();
  const recent = readRecent(localStorage, account.id);
  if (recent.length === 0) return null;
  return (
    <Section title="Recent">
      <ul className={classes['list']}>
        {recent.map((path) => (
          <li key={path}>
            <Link to={path} className={`${classes['example']} mono`}>
              {subjectOf(path)}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
