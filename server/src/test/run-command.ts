/** `whence` as it is typed, in this process: its exit code and what it prints. */
import { run } from '../main.ts';

export type Outcome = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** `terminal`: what standard output and standard error are. */
export async function runCommand(
  argv: readonly string[],
  environment: Record<string, string>,
  terminal: { readonly isTTY?: boolean; readonly columns?: number } = {},
): Promise<Outcome> {
  const texts = { stdout: '', stderr: '' };
  const output = (name: keyof typeof texts) => ({
    ...terminal,
    write(text: string | Uint8Array) {
      texts[name] += text;
    },
  });
  const code = await run(argv, environment, output('stdout'), output('stderr'));
  return { code, ...texts };
}
