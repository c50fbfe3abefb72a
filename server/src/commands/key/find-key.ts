/** `wh key find -`: the key with a secret that was found somewhere. It is read from standard input and never printed. */
import { STANDARD_INPUT, textLines } from '../../enrich/input.ts';
import { describeKey } from '../../keys/key.ts';
import { findSecret } from '../../keys/secret-form.ts';
import { CommandError, type ExitCode, UsageError } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { print, type Terminal } from '../../terminal/style.ts';
import { formatTable } from '../../terminal/table.ts';
import { stateCell } from './key.ts';
import { findKey, withKeys } from './open-keys.ts';

const MAX_LINE_CHARACTERS = 20_000;

export async function keyFind(
  location: string,
  source: string,
  options: { json?: boolean },
  streams: CommandStreams & Terminal,
): Promise<ExitCode> {
  if (source !== STANDARD_INPUT)
    throw new UsageError(
      'the key is read from standard input: as an argument it would stay in the history of the shell and be visible ' +
        `to other users of this machine. Run ${PROGRAM} key find - and paste it`,
    );
  const secret = await readSecret(streams);
  return withKeys(location, async (keys, storage) => {
    const key = await findKey(keys, storage, secret);
    return print(streams, options, describeKey(key), (style) => {
      const revoke = key.revokedAt === undefined ? [['revoke it', `${PROGRAM} key revoke ${key.id}`]] : [];
      const rows = [
        ['id', key.id],
        ['name', key.name],
        ['key', key.masked],
        ['state', stateCell(key, new Date(), style)],
      ];
      return formatTable([...rows, ...revoke], style);
    });
  });
}

/** The key in the first line that has a whole one. */
async function readSecret({ stdin, stderr }: CommandStreams): Promise<string> {
  if (stdin().isTTY === true) stderr.write('Paste the key and press Enter:\n');
  for await (const lines of textLines(STANDARD_INPUT, stdin, MAX_LINE_CHARACTERS)) {
    const secret = lines.map(findSecret).find((one) => one !== undefined);
    if (secret !== undefined) return secret;
  }
  throw new CommandError('there is no whole key on standard input: its checksum is wrong, or a part is missing');
}
