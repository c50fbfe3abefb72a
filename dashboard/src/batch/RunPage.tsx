/** The page of a run: text or a file to begin with, progress, and what was found. The address bar leads back to it. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { useResumedSending } from '../components/Form.tsx';
import { PageSkeleton } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Page, PrintButton } from '../components/Page.tsx';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { BatchInput, BatchProgress, type RunWords } from './BatchInput.tsx';
import type { ChunkedRun, RunState } from './chunked-run.ts';

/** Up to this many are kept in the address bar, so that the list can be shared as a link. */
const MAX_SHARED = 50;

type RunPageProps<Row> = {
  name: string;
  lead: string;
  run: ChunkedRun<Row>;
  chunkSize: number;
  /** The parameter of the address bar with the list. */
  parameter: 'ips' | 'domains';
  words: RunWords;
  /** Below the field for a new list. */
  keptLists?: ReactNode;
  children: (state: RunState<Row>) => ReactNode;
};

export function RunPage<Row>({ name, lead, run, chunkSize, parameter, words, keptLists, children }: RunPageProps<Row>) {
  const { run: runId, [parameter]: list } = useSearch({ strict: false });
  const navigate = useNavigate();
  const state = useSyncExternalStore(run.subscribe, run.snapshot);
  const { id, phase, rows, found } = state;

  // The address bar decides which run is shown: one that is kept by its id, else the list that a link carries.
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
    const search = (before: object) => withoutEmpty({ ...before, run: id, [parameter]: shared });
    void navigate({ to: '.', search, ...IN_PLACE });
  }, [run, runId, id, found, navigate, parameter]);

  useResumedSending({ error: state.error instanceof Error ? state.error : null, mutate: () => run.goOn(chunkSize) });
  const reset = () => {
    run.reset();
    void navigate({ to: '.', search: {}, replace: true });
  };
  const isNew = phase === 'idle' || phase === 'lost';
  return (
    <Page name={name} title={name} lead={lead} actions={rows.length > 0 ? <PrintButton /> : undefined}>
      {phase === 'lost' && (
        <Notice title="This list is not kept any more">
          <p>{words.kept}</p>
        </Notice>
      )}
      {phase === 'opening' && <PageSkeleton shape={[['figures'], ['table']]} />}
      {isNew && (
        <>
          <BatchInput words={words} onStart={(input) => run.start(input, chunkSize)} />
          {keptLists}
        </>
      )}
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
