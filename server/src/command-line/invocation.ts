/** What a command gets of the process that it runs in. */
import type { Config, Environment } from '../config.ts';
import type { ExitCode } from '../terminal/exit.ts';
import type { Output } from '../terminal/output.ts';

export type Invocation = {
  /** Read when a command runs, so that --help works with an invalid setting. */
  readonly config: () => Config;
  readonly environment: Environment;
  readonly now: () => Date;
  /** A function: accessing `process.stdin` opens it. */
  readonly stdin: () => typeof process.stdin;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly exitWith: (exitCode: ExitCode) => void;
};
