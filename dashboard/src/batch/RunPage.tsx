/** The page of a run: text or a file to begin with, progress, and what was found. The address bar leads back to it. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { loadRun, saveRun } from '../browser-storage/saved-runs.ts';
import { useResumedSending } from '../components/Form.tsx';
import { Notice } from '../components/Notice.tsx';
import { Page, PrintButton } from '../components/Page.tsx';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { useSignedIn } from '../session/use-session.ts';
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
  children: (state: RunState<Row>) => ReactNode;
};

export function RunPage<Row>({ name, lead, run, chunkSize, parameter, words, children }: RunPageProps<Row>) {
  const { account } = useSignedIn();
  const { run: runId, [parameter]: list } = useSearch({ strict: false });
  const navigate = useNavigate();
  const state = useSyncExternalStore(run.subscribe, run.snapshot);
  const [isLost, setIsLost] = useState(false);
  const { id, phase, rows, found, source, counts } = state;

  // The address bar decides which run is shown: one of this browser by its id, else the list that a link carries.
  useEffect(() => {
    let isLeft = false;
    setIsLost(false);
    const open = async () => {
      if (runId === undefined ? list === undefined : runId === run.snapshot().id) return;
      if (runId === undefined && list === run.linked.list && run.linked.id === run.snapshot().id) return;
      const saved = runId === undefined ? undefined : await loadRun(runId, run.kind, account.id);
      if (isLeft) return;
      if (saved !== undefined) run.resume(saved, chunkSize);
      else if (list !== undefined) {
        run.start({ text: list }, chunkSize);
        run.linked = { list, id: run.snapshot().id };
      } else {
        run.reset();
        setIsLost(true);
      }
    };
    void open();
    return () => {
      isLeft = true;
    };
  }, [run, list, runId, account.id, chunkSize]);

  // Once a text is read, the address bar leads back to what was found in it.
  useEffect(() => {
    if (runId !== undefined || list !== undefined || counts === undefined || found.length === 0) return;
    void saveRun({ id, kind: run.kind, accountId: account.id, source, counts, found });
    const shared = found.length > MAX_SHARED ? undefined : found.map(([text]) => text).join(' ');
    const search = (before: object) => withoutEmpty({ ...before, run: id, [parameter]: shared });
    void navigate({ to: '.', search, ...IN_PLACE });
  }, [run, runId, list, id, source, counts, found, account.id, navigate, parameter]);

  useResumedSending({ error: state.error instanceof Error ? state.error : null, mutate: () => run.goOn(chunkSize) });
  const reset = () => {
    run.reset();
    void navigate({ to: '.', search: {}, replace: true });
  };
  return (
    <Page name={name} title={name} lead={lead} actions={rows.length > 0 ? <PrintButton /> : undefined}>
      {isLost && phase === 'idle' && (
        <Notice title="This list is not stored in this browser">
          <p>The last five lists are kept in the browser that read them, until you sign out.</p>
        </Notice>
      )}
      {phase === 'idle' ? (
        <BatchInput words={words} onStart={(input) => run.start(input, chunkSize)} />
      ) : (
        <BatchProgress
          state={state}
          words={words}
          onStop={() => run.stop()}
          onGoOn={() => run.goOn(chunkSize)}
          onReset={reset}
        />
      )}
      {phase !== 'idle' && children(state)}
    </Page>
  );
}
