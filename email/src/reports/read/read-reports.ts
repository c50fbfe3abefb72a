/**
 * Reads everything that an input holds: a report, an archive, a message or many of them. What
 * cannot be read is listed with its reason and does not stop the rest.
 */
import PostalMime from 'postal-mime';
import type { Resolver } from '../../dns/answer.ts';
import { normalizeDomain } from '../../domain-name.ts';
import { provesReporter, reportDomainOf } from '../large-receivers.ts';
import type { UnprovenReason } from '../report.ts';
import { findUnproven } from './dkim-signature.ts';
import { splitMbox } from './mbox.ts';
import { Budget, type Found, HEAD_BYTES, kindOf, MAX_PACKED_BYTES, readFile } from './unpack.ts';

export type FoundReport =
  | (Exclude<Found, { kind: 'not_read' }> & {
      readonly isMessage: boolean;
      /** Why a message does not prove its reporter. */
      readonly unproven: UnprovenReason | undefined;
    })
  | Extract<Found, { kind: 'not_read' }>;

export type ReadOptions = {
  /** How signatures of messages are verified; messages are believed without it. */
  readonly resolverFor?: (domain: string) => Pick<Resolver, 'txt'>;
  /**
   * The largest message that is read, 10 MiB if absent. A message that carries an archive of 10 MiB
   * is larger than the archive.
   */
  readonly maxMessageBytes?: number;
};

/**
 * Messages in a message are read as such: a signature of the outer one, which may be a bounce with
 * whatever was sent, does not prove them.
 */
const MIME_OPTIONS = {
  maxNestingDepth: 20,
  maxHeadersSize: 256 * 1024,
  forceRfc822Attachments: true,
};
/** A report can be the text of a message, or a part that is called text and has no disposition. */
class MessageParser extends PostalMime {
  protected isInlineTextNode(): boolean {
    return false;
  }
}

/** How deep messages inside messages are read. */
const MAX_DEPTH = 2;

export async function* readReports(
  name: string,
  bytes: Buffer,
  options: ReadOptions = {},
  budget: Budget = new Budget(),
): AsyncGenerator<FoundReport> {
  const head = bytes.subarray(0, HEAD_BYTES);
  if (kindOf(head) !== 'message') {
    for await (const found of readFile(name, bytes, budget)) yield believed(found);
    return;
  }
  if (!isMbox(head)) {
    yield* readMessage(name, bytes, options, budget);
    return;
  }
  let number = 0;
  for await (const message of splitMbox([bytes]))
    yield* readMessage(`${name} (${++number})`, message, options, budget);
}

/** A file that begins like a message may be a mailbox of any size. */
export const isMbox = (head: Buffer) => /^From \S/.test(head.toString('latin1', 0, 100));

export async function* readMessage(
  name: string,
  message: Buffer | undefined,
  options: ReadOptions,
  budget: Budget,
  depth = 0,
): AsyncGenerator<FoundReport> {
  const { resolverFor, maxMessageBytes = MAX_PACKED_BYTES } = options;
  if (message === undefined || message.length > maxMessageBytes) {
    yield { kind: 'not_read', name, code: 'too_large' };
    return;
  }
  let email: Awaited<ReturnType<typeof PostalMime.parse>>;
  try {
    email = await new MessageParser(MIME_OPTIONS).parse(message);
  } catch {
    yield { kind: 'not_read', name, code: 'broken_message' };
    return;
  }
  const from = fromDomainOf(email);
  const results = new Map<string, Promise<UnprovenReason | undefined>>();
  const unprovenOf = async (reportDomain: string): Promise<UnprovenReason | undefined> => {
    if (resolverFor === undefined) return undefined;
    const isSigner = (signer: string) => provesReporter(reportDomain, from, signer);
    const known =
      results.get(reportDomain) ?? findUnproven(message, isSigner, resolverFor(reportDomain));
    if (results.size < MAX_REPORTERS) results.set(reportDomain, known);
    return results.has(reportDomain) ? known : 'other_domain';
  };
  let isEmpty = true;
  for (const { filename, mimeType, disposition, content } of email.attachments) {
    const file = Buffer.from(content as ArrayBuffer);
    const fileName = `${name}: ${filename ?? 'attachment'}`;
    const isMessage =
      /^message\/(?:rfc822|global)$/.test(mimeType) || /\.eml$/i.test(filename ?? '');
    // What a person reads may begin like a report.
    const isText = disposition !== 'attachment' && /^text\/(?:plain|html)$/.test(mimeType);
    const kind = kindOf(file.subarray(0, HEAD_BYTES));
    if (isMessage ? depth === MAX_DEPTH : kind === 'message' || kind === 'other') continue;
    const files: AsyncIterable<Found | FoundReport> = isMessage
      ? readMessage(fileName, file, options, budget, depth + 1)
      : readFile(fileName, file, budget);
    for await (const found of files) {
      if (found.kind === 'not_read' && (isText || isNoReport(found.code))) continue;
      isEmpty = false;
      if (found.kind === 'not_read' || 'isMessage' in found) yield found;
      else {
        const { reporter: reporterName, reporterEmail } = found.report;
        const reportDomain = reportDomainOf({ name: reporterName, email: reporterEmail });
        const unproven = await unprovenOf(reportDomain);
        yield { ...found, isMessage: true, unproven };
      }
    }
  }
  if (!isEmpty) return;
  const type = email.headers.find(({ key }) => key === 'content-type')?.value ?? '';
  const isFailure =
    /report-type="?feedback-report/i.test(type) ||
    email.attachments.some(({ mimeType }) => mimeType === 'message/feedback-report');
  yield { kind: 'not_read', name, code: isFailure ? 'failure_report' : 'no_report' };
}

const isNoReport = (code: string) => code === 'not_a_report' || code === 'no_report';

/** Reporters in one message: more are not verified. */
const MAX_REPORTERS = 3;

function believed(found: Found): FoundReport {
  return found.kind === 'not_read' ? found : { ...found, isMessage: false, unproven: undefined };
}

/** Empty unless there is one From with one address: others could be read in several ways. */
function fromDomainOf({ headers, from }: Awaited<ReturnType<typeof PostalMime.parse>>): string {
  const fields = headers.filter(({ key }) => key === 'from');
  const address = from?.address ?? '';
  if (fields.length !== 1 || (fields[0]?.value.match(/@/g)?.length ?? 0) > MAX_AT_SIGNS) return '';
  return normalizeDomain(address.slice(address.lastIndexOf('@') + 1)) ?? '';
}

/** Many repeat the address as the name that is shown. */
const MAX_AT_SIGNS = 2;
