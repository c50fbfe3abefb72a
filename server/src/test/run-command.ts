/** `whence` as it is typed, in this process: its exit code and what it prints. */
import { Readable } from 'node:stream';
import { run } from '../main.ts';

export type Outcome = { readonly code: number; readonly stdout: string; readonly stderr: string };

/**
 * `terminal`: what standard output and standard error are. Without `input`, standard input is a
 * terminal.
 */
export async function runCommand(
  argv: readonly string[],
  environment: Record<string, string>,
  {
    input,
    ...terminal
  }: { readonly isTTY?: boolean; readonly columns?: number; readonly input?: string } = {},
): Promise<Outcome> {
  const texts = { stdout: '', stderr: '' };
  const output = (name: keyof typeof texts) => ({
    ...terminal,
    write(text: string | Uint8Array) {
      texts[name] += text;
    },
  });
  const stdin = Object.assign(Readable.from(input === undefined ? [] : [Buffer.from(input)]), {
    isTTY: input === undefined,
  });
  const code = await run(argv, environment, output('stdout'), output('stderr'), () => stdin);
  return { code, ...texts };
}
