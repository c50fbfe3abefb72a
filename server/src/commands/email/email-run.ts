/** What a run of `whence email` has, however it prints: the domains, how they are checked, where the lines go. */
import type { Readable } from 'node:stream';
import type { Output } from '../../terminal/output.ts';
import type { Style } from '../../terminal/style.ts';
import type { CheckerOptions } from './checker.ts';
import type { ListedDomain } from './domain-list.ts';
import type { ReportFile } from './saved-reports.ts';

export type EmailStreams = {
  readonly stdin: () => Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
};

export type EmailRun = {
  readonly listed: readonly ListedDomain[];
  readonly checker: CheckerOptions;
  readonly style: Style;
  readonly save: ReportFile | undefined;
  readonly progress: Progress;
  readonly streams: EmailStreams;
};

export type Progress = { step(): void; finish(): void };
