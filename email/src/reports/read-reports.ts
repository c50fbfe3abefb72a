/**
 * Reads everything that an input holds: a report, an archive, a message or many of them. What cannot be read is listed with
 * its reason and does not stop the rest.
 */
import PostalMime from 'postal-mime';
import type { Resolver } from '../dns/answer.ts';
import { isSignedBy } from './dkim-signature.ts';
import { splitMbox } from './mbox.ts';
import { Budget, type Found, HEAD_BYTES, kindOf, MAX_PACKED_BYTES, readFile } from './unpack.ts';

/** `isProven` is false for a report in a message that its reporter has not signed. */
export type FoundReport =
  | (Extract<Found, { kind: 'report' }> & { readonly isMessage: boolean; readonly isProven: boolean })
  | Extract<Found, { kind: 'not_read' }>;

export type ReadOptions = {
  /** How signatures of messages are verified; messages are believed without it. */
  readonly verify?: { readonly resolverFor: (domain: string) => Pick<Resolver, 'txt'>; readonly nowMs: number };
};

/** Depth of parts, and of messages in messages. */
const MIME_LIMITS = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024, maxRfc822NestingDepth: 2 };

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
  for await (const message of splitMbox([bytes])) yield* readMessage(`${name} (${++number})`, message, options, budget);
}

/** A file that begins like a message may be a mailbox of any size. */
export const isMbox = (head: Buffer) => /^From \S/.test(head.toString('latin1', 0, 100));

export async function* readMessage(
  name: string,
  message: Buffer | undefined,
  { verify }: ReadOptions,
  budget: Budget,
): AsyncGenerator<FoundReport> {
  if (message === undefined || message.length > MAX_PACKED_BYTES) {
    yield { kind: 'not_read', name, code: 'too_large' };
    return;
  }
  let email: Awaited<ReturnType<typeof PostalMime.parse>>;
  try {
    email = await PostalMime.parse(message, MIME_LIMITS);
  } catch {
    yield { kind: 'not_read', name, code: 'broken_message' };
    return;
  }
  const proven = new Map<string, Promise<boolean>>();
  const isProven = (reporter: string) => {
    if (verify === undefined) return true;
    const domain = reporter.slice(reporter.lastIndexOf('@') + 1).toLowerCase();
    const known = proven.get(domain) ?? isSignedBy(domain, message, verify.resolverFor(domain), verify.nowMs);
    if (proven.size < MAX_REPORTERS) proven.set(domain, known);
    return proven.has(domain) && known;
  };
  let isEmpty = true;
  for (const { filename, content } of email.attachments) {
    const file = Buffer.from(content as ArrayBuffer);
    if (!['gzip', 'zip', 'xml', 'json'].includes(kindOf(file.subarray(0, HEAD_BYTES)))) continue;
    for await (const found of readFile(`${name}: ${filename ?? 'attachment'}`, file, budget)) {
      if (found.kind === 'not_read' && ['not_a_report', 'no_report'].includes(found.code)) continue;
      isEmpty = false;
      if (found.kind === 'not_read') yield found;
      else {
        const { reporter, reporterEmail } = found.report;
        yield { ...found, isMessage: true, isProven: await isProven(reporterEmail || reporter) };
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

/** Reporters in one message: more are not verified. */
const MAX_REPORTERS = 3;

function believed(found: Found): FoundReport {
  return found.kind === 'report' ? { ...found, isMessage: false, isProven: true } : found;
}
