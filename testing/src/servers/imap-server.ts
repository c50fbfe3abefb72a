/**
 * An IMAP server on the loopback, as far as a client that reads one folder needs it (RFC 9051). For
 * any command a test may say something else than a mail server would.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export type ImapMessage = { readonly uid: number; readonly text: string };

export type ImapScript = {
  readonly messages?: ImapMessage[];
  readonly uidValidity?: number | string;
  readonly uidNext?: number | string;
  /** By the name of a command, such as `UID FETCH`. Returns true if it has answered. */
  readonly on?: Readonly<Record<string, (socket: Socket, tag: string, rest: string) => boolean>>;
  readonly greeting?: string;
  /** Ends a connection after its greeting. */
  readonly isBusy?: boolean;
};

export type ImapServer = {
  readonly port: number;
  /** Commands, without their tags. */
  readonly received: readonly string[];
  close(): Promise<void>;
};

export async function startImapServer(script: ImapScript): Promise<ImapServer> {
  const received: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
    socket.write(script.greeting ?? '* OK ready\r\n');
    if (script.isBusy) socket.end();
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
      const lines = text.split('\r\n');
      text = lines.pop() ?? '';
      for (const line of lines) answer(socket, line);
    });
  });
  const answer = (socket: Socket, line: string) => {
    const [, tag = '*', name = '', rest = ''] = /^(\S+) ((?:UID )?\S+) ?(.*)$/i.exec(line) ?? [];
    const command = name.toUpperCase();
    received.push(`${command} ${rest}`.trim());
    if (script.on?.[command]?.(socket, tag, rest) === true) return;
    socket.write(`${untagged(script, command, rest)}${tag} OK done\r\n`);
    if (command === 'LOGOUT') socket.end();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function untagged(script: ImapScript, command: string, rest: string): string {
  const { messages = [], uidValidity = 1 } = script;
  const next = script.uidNext ?? Math.max(0, ...messages.map(({ uid }) => uid)) + 1;
  if (command === 'CAPABILITY') return '* CAPABILITY IMAP4rev1 MOVE\r\n';
  if (command === 'SELECT')
    return `* ${messages.length} EXISTS\r\n* OK [UIDVALIDITY ${uidValidity}] ok\r\n* OK [UIDNEXT ${next}] ok\r\n`;
  if (command === 'UID SEARCH') {
    const [, from = '1', to = '*'] = /UID (\d+)(?::(\d+|\*))?/.exec(rest) ?? [];
    const found = messages.filter(
      ({ uid }) => uid >= Number(from) && (to === '*' || uid <= Number(to)),
    );
    return `* SEARCH ${found.map(({ uid }) => uid).join(' ')}\r\n`;
  }
  if (command !== 'UID FETCH') return '';
  const [set = ''] = rest.split(' ');
  const asked = set.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split(':').map(Number);
    return messages.filter(({ uid }) => uid >= from && uid <= to);
  });
  return asked
    .map(({ uid, text }) => {
      const body = rest.includes('BODY') ? ` BODY[] {${text.length}}\r\n${text}` : '';
      return `* ${messages.findIndex((one) => one.uid === uid) + 1} FETCH (UID ${uid} RFC822.SIZE ${text.length}${body})\r\n`;
    })
    .join('');
}
