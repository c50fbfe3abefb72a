/**
 * The page of a run: text or a file to begin with, progress, and what was found. The address bar
 * leads back to it.
 */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { useResumedSending } from '../components/Form.tsx';
import { PageSkeleton } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Page, PrintButton } from '../components/Page.tsx';
import type { ScanInput } from '../scan.ts';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { BatchProgress, type RunWords } from './BatchInput.tsx';
import type { ChunkedRun, RunState } from './chunked-run.ts';

/** Up to this many are kept in the address bar, so that the list can be shared as a link. */
const MAX_SHARED = 50;

type RunPageProps<Row> = {
  name: string;
  lead: string;
  /** In place of the lead, as soon as something was found. */
  answer: (rows: readonly Row[]) => ReactNode;
  run: ChunkedRun<Row>;
  chunkSize: number;
  words: RunWords;
  /** Shown while there is no run, with what starts one. */
  start: (run: (input: ScanInput) => void) => ReactNode;
  children: (state: RunState<Row>) => ReactNode;
};

export function RunPage<Row>({
  name,
  lead,
  answer,
  run,
  chunkSize,
  words,
  start,
  children,
}: RunPageProps<Row>) {
  const { run: runId, ips: list } = useSearch({ strict: false });
  const navigate = useNavigate();
  const state = useSyncExternalStore(run.subscribe, run.snapshot);
  const { id, phase, rows, found } = state;

  // The address bar decides which run is shown: one that is kept by its id, else the list that a
  // link carries.
  useEffect(() => {
    if (runId === undefined ? list === undefined : runId === run.snapshot().id) return;
    if (runId === undefined) run.start({ text: list ?? '' }, chunkSize);
    else void run.open(runId, chunkSize, list);
  }, [run, list, runId, chunkSize]);

  // Once a list is kept, the address bar leads back to it.
  useEffect(() => {
    // Going back may just have opened another one.
    if (id === '' || id === runId || id !== run.snapshot().id) return;
    const shared = found.length > MAX_SHARED ? undefined : found.map(([text]) => text).join(' ');
    const search = (before: object) => withoutEmpty({ ...before, run: id, ips: shared });
    void navigate({ to: '.', search, ...IN_PLACE });
  }, [run, runId, id, found, navigate]);

  useResumedSending({
    error: state.error instanceof Error ? state.error : null,
    mutate: () => run.goOn(chunkSize),
  });
  const reset = () => {
    run.reset();
    void navigate({ to: '.', search: {}, replace: true });
  };
  const isNew = phase === 'idle' || phase === 'lost';
  return (
    <Page
      name={name}
      title={name}
      lead={rows.length > 0 ? answer(rows) : lead}
      actions={rows.length > 0 ? <PrintButton /> : undefined}
    >
      {phase === 'lost' && (
        <Notice title="This list is not kept any more">
          <p>{words.kept}</p>
        </Notice>
      )}
      {phase === 'opening' && <PageSkeleton shape={[['figures'], ['table']]} />}
      {isNew && start((input) => run.start(input, chunkSize))}
      {!isNew && phase !== 'opening' && (
        <>
          <BatchProgress
            state={state}
            words={words}
            onStop={() => run.stop()}
            onGoOn={() => run.goOn(chunkSize)}
            onReset={reset}
          />
          {children(state)}
        </>
      )}
    </Page>
  );
}
