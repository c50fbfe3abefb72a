/** Sends messages through the SMTP server of WHENCE_SMTP_URL, always over verified TLS. */
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { AlertMessage } from './message.ts';
import type { Sent } from './webhook.ts';

export type SmtpServer = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise with STARTTLS. */
  readonly isSmtps: boolean;
  /** On this machine, where TLS would protect nothing. */
  readonly isLoopback: boolean;
  readonly user: string;
  readonly password: string;
  /** Address of the sender. */
  readonly from: string;
};

type MailSettings = {
  readonly server: SmtpServer;
  /** Instead of the password in the URL. Read for every message, so that it may change. */
  readonly passwordFile: string | undefined;
};

/** For tests: a server at another address, with a certificate of another authority. */
export type SmtpNetwork = { readonly address?: string; readonly ca?: string };

const CONNECT_MS = 10_000;
const IDLE_MS = 15_000;
const MAX_RESULT_CHARACTERS = 300;

export class Mailer {
  readonly #settings: MailSettings;
  readonly #network: SmtpNetwork;

  constructor(settings: MailSettings, network: SmtpNetwork = {}) {
    this.#settings = settings;
    this.#network = network;
  }

  /** `id` is the same for every attempt, and so is the Message-ID. */
  async send(to: string, id: string, message: AlertMessage): Promise<Sent> {
    const { server } = this.#settings;
    const { title, text, url } = message;
    try {
      const pass = await this.#password();
      // Loaded only if it is used, to keep start-up fast.
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({
        host: this.#network.address ?? server.host,
        port: server.port,
        secure: server.isSmtps,
        requireTLS: !server.isLoopback,
        ignoreTLS: server.isLoopback,
        tls: {
          ...(isIP(server.host) === 0 && { servername: server.host }),
          ...(this.#network.ca !== undefined && { ca: this.#network.ca }),
        },
        ...(server.user !== '' && { auth: { user: server.user, pass } }),
        connectionTimeout: CONNECT_MS,
        greetingTimeout: CONNECT_MS,
        dnsTimeout: CONNECT_MS,
        socketTimeout: IDLE_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        const { response } = await transport.sendMail({
          from: { name: 'Whence', address: server.from },
          to: { name: '', address: to },
          subject: `[Whence] ${title}`,
          text: url === undefined ? `${text}\n` : `${text}\n\n${url}\n`,
          messageId: `<${id}@${server.from.slice(server.from.lastIndexOf('@') + 1)}>`,
          // RFC 3834: no vacation notices in return.
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return { isDelivered: true, result: oneLine(response) };
      } finally {
        transport.close();
      }
    } catch (error) {
      return { isDelivered: false, result: oneLine((error as Error).message) };
    }
  }

  async #password(): Promise<string> {
    const { server, passwordFile } = this.#settings;
    if (passwordFile === undefined) return server.password;
    try {
      return (await readFile(passwordFile, 'utf8')).replace(/\r?\n$/, '');
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw new Error(`the file in WHENCE_SMTP_PASSWORD_FILE cannot be read: ${code}`);
    }
  }
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_RESULT_CHARACTERS);
}
