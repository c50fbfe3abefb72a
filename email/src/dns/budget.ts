// What one check may cost, whatever a hostile zone contains. docs/email-score.md lists the limits
// for operators.
import { organizationOf } from '../registrable-domain.ts';
import { type Failure, failure, type Reply } from './answer.ts';

/** All that a check has to know. Only hostile zones need so much. */
const MAX_QUESTIONS = 200;

/**
 * Up to here a check also sends queries that it could do without: subdomains, two of their
 * policies, a delegated `_dmarc`.
 */
export const MAX_USUAL_QUESTIONS = 57;

/**
 * Questions about names of one other registrable domain, which may be the victim of the zone's
 * owner.
 */
const MAX_FOREIGN_QUESTIONS = 40;

/** All answers that one check holds, decoded. */
const MAX_HELD_BYTES = 1024 * 1024;

/**
 * CNAMEs followed for one name. RFC 1034 sets no limit. Resolvers do, from 8 on; longer chains are
 * mistakes.
 */
export const MAX_ALIASES = 8;

/** One TXT record. The longest keys and SPF records in use are below 4 KiB. */
export const MAX_TXT_BYTES = 16 * 1024;

/** Terms of an SPF record. The longest in use have some hundreds. */
export const MAX_SPF_TERMS = 2_000;

/** The replies that all checks of a process share. */
export const MAX_CACHE_BYTES = 64 * 1024 * 1024;

/**
 * Where a zone fails for one name, it mostly fails for all, and forty selectors would be asked
 * twice.
 */
export const MAX_RETRIES = 6;

export class CheckBudget {
  readonly #domain: string;
  readonly #organization: string;
  readonly #foreign = new Map<string, number>();
  #questions = 0;
  #heldBytes = 0;
  #retries = 0;

  constructor(domain: string) {
    this.#domain = domain;
    this.#organization = organizationOf(domain);
  }

  /** Counts a question about the name. The failure if it must not be asked. */
  spendQuestion(name: string): Failure | undefined {
    if (this.#questions >= MAX_QUESTIONS)
      return exhausted(`a check asks at most ${MAX_QUESTIONS} questions`);
    const organization = organizationOf(name);
    // A public suffix can be checked too; all that is below its name is its own then.
    if (organization !== this.#organization && !name.endsWith(`.${this.#domain}`)) {
      const count = this.#foreign.get(organization) ?? 0;
      if (count >= MAX_FOREIGN_QUESTIONS)
        return exhausted(
          `a check asks at most ${MAX_FOREIGN_QUESTIONS} questions about names under ${organization}`,
        );
      this.#foreign.set(organization, count + 1);
    }
    this.#questions++;
    return undefined;
  }

  spendRetry(): boolean {
    return this.#retries++ < MAX_RETRIES;
  }

  /** The reply, or a failure if the check cannot hold it as well. */
  hold(reply: Reply): Reply {
    const bytes = bytesOf(reply);
    if (this.#heldBytes + bytes > MAX_HELD_BYTES)
      return exhausted(`the answers to a check may take ${MAX_HELD_BYTES / 1024} KiB in all`);
    this.#heldBytes += bytes;
    return reply;
  }
}

/**
 * Roughly what a reply takes in memory: text is one byte per character, an object or a string some
 * tens of bytes.
 */
export function bytesOf(reply: Reply): number {
  if (reply.kind === 'failure') return OBJECT_BYTES + reply.reason.length;
  let bytes = OBJECT_BYTES;
  for (const alias of reply.aliases) bytes += STRING_BYTES + alias.length;
  if (reply.kind !== 'found') return bytes;
  for (const record of reply.records)
    bytes +=
      STRING_BYTES +
      (typeof record === 'string' ? record.length : OBJECT_BYTES + record.exchange.length);
  return bytes;
}

const OBJECT_BYTES = 64;
const STRING_BYTES = 32;

function exhausted(reason: string): Failure {
  return failure(reason, 'dns_budget_exhausted');
}
