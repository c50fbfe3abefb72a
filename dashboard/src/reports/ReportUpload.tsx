/** Files with aggregate reports, dropped or chosen, sent one after the other. */
import { FileButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type DragEvent, useRef, useState } from 'react';
import { isFailure } from '../api/call.ts';
import { call, refresh } from '../api/query-client.ts';
import { Bar } from '../components/Bars.tsx';
import { QuietButton } from '../components/Buttons.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { useResumedSending } from '../components/Form.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { capitalise } from '../format/names.ts';
import { count, formatNumber } from '../format/number.ts';
import { useRole } from '../session/use-session.ts';
import classes from './Senders.module.css';

/** As the server has it. A larger file would be sent in vain. */
const MAX_BYTES = 10 * 1024 * 1024;

/** What became of a report, or of a file without one. */
type Result = {
  readonly file: string;
  readonly state: 'read' | 'repeated' | 'not_read';
  readonly reason: string;
};

export function ReportUpload() {
  const { isAtLeast } = useRole();
  const [total, setTotal] = useState(0);
  const [results, setResults] = useState<readonly Result[]>([]);
  const [isOver, setIsOver] = useState(false);
  // Those before a failure are not sent again.
  const pending = useRef<File[]>([]);
  const upload = useMutation({
    mutationFn: async () => {
      for (let [file] = pending.current; file !== undefined; [file] = pending.current) {
        const imported = await importFile(file);
        pending.current.shift();
        setResults((before) => [...before, ...imported]);
      }
      await refresh('getSenders', 'checkDomain', 'listReports');
    },
  });
  useResumedSending(upload);
  if (!isAtLeast('member')) return null;
  const start = (files: readonly File[]) => {
    if (files.length === 0) return;
    pending.current.push(...files);
    setTotal((before) => before + files.length);
    if (!upload.isPending) upload.mutate();
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    start([...event.dataTransfer.files]);
  };
  const done = total - pending.current.length;
  const counted = (state: Result['state']) =>
    formatNumber(results.filter((result) => result.state === state).length);
  const remarks = results.filter(({ reason }) => reason !== '');
  return (
    <div className={`${classes['upload']} no-print`}>
      <div
        className={classes['drop']}
        role="group"
        aria-label="Report files"
        data-over={isOver}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <FileButton multiple onChange={start}>
          {(props) => (
            <QuietButton size="sm" icon="file-upload" text="Choose report files" {...props} />
          )}
        </FileButton>
        <span className="quiet">
          or drop them here: XML, gzip, zip or whole messages, at most 10 MiB each
        </span>
      </div>
      {total > 0 && (
        <>
          <p role="status">
            {`${formatNumber(done)} of ${count(total, 'file')} sent: ${counted('read')} read, ${counted('repeated')} repeated, ${counted('not_read')} not read`}
          </p>
          {upload.isPending && <Bar value={done} max={total} />}
          <FailureNotice error={upload.error} onRetry={upload.mutate} />
          {remarks.length > 0 && (
            <Table isStacked label="Remarks" columns={COLUMNS} rows={remarks} limit={10} />
          )}
        </>
      )}
    </div>
  );
}

const COLUMNS: Column<Result>[] = [
  { name: 'File', isText: true, cell: ({ file }) => file },
  { name: 'Remark', isText: true, cell: ({ reason }) => capitalise(reason.replace(/^\w+: /, '')) },
];

/** What is wrong with one file is a result; everything else stops the upload. */
async function importFile(file: File): Promise<Result[]> {
  const notRead = (reason: string): Result[] => [{ file: file.name, state: 'not_read', reason }];
  if (file.size > MAX_BYTES) return notRead('larger than 10 MiB');
  // A folder, or a file that was removed meanwhile.
  const isReadable = await file.arrayBuffer().then(
    () => true,
    () => false,
  );
  if (!isReadable) return notRead('the browser cannot read it');
  try {
    const { data } = await call('importReports', { body: file });
    return data.reports.map(({ state, reason }) => ({ file: file.name, state, reason }));
  } catch (error) {
    if (!isFailure(error, 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE')) throw error;
    return notRead('it is no report, archive or message');
  }
}
