/** The mailbox of WHENCE_REPORTS_IMAP, and why it cannot be read. */
import { readFile } from 'node:fs/promises';

export type Mailbox = {
  readonly host: string;
  readonly port: number;
  /** False on this machine alone, where TLS would protect nothing. */
  readonly isTls: boolean;
  readonly user: string;
  readonly folder: string;
};

export type MailboxSettings = {
  readonly mailbox: Mailbox;
  readonly password: string;
  /** Instead of the password. Read for every connection, so that it may change. */
  readonly passwordFile: string | undefined;
  /** Folder for messages that were read; they are marked as seen without it. */
  readonly moveTo: string | undefined;
};

/** By which storage tells mailboxes apart: another user or folder has messages of its own. */
export const mailboxId = ({ host, port, user, folder }: Mailbox): string =>
  `${user} ${host} ${port} ${folder}`;

/** One sentence for people, without anything that the server or the password contains. */
export class MailboxError extends Error {
  override name = 'MailboxError';
}

export async function readPassword(settings: MailboxSettings): Promise<string> {
  const password = await storedPassword(settings);
  // IMAP has no way to write some of them, and a line break would begin a command.
  if (/\p{Cc}/u.test(password))
    throw new MailboxError('The password has a control character, such as a line break.');
  return password;
}

async function storedPassword({ password, passwordFile }: MailboxSettings): Promise<string> {
  if (passwordFile === undefined) return password;
  try {
    return (await readFile(passwordFile, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new MailboxError(
      `The file in WHENCE_REPORTS_IMAP_PASSWORD_FILE cannot be read: ${code}.`,
    );
  }
}
