// Several replies as one answer: a server may return a CNAME without what is behind it, so the
// target is queried too.
import {
  type Answer,
  type Authenticated,
  type CheckedType,
  failure,
  type MxHost,
  type RecordData,
  type Reply,
  type Resolver,
} from './answer.ts';
import { MAX_ALIASES } from './budget.ts';
import { type Askable, askableName } from './name.ts';

export async function followAliases(
  name: string,
  ask: (name: string) => Reply | Promise<Reply>,
  askable: Askable = askableName,
): Promise<Answer<RecordData>> {
  const aliases: string[] = [];
  let authenticated: Authenticated = { isAuthenticated: true };
  for (;;) {
    const reply = await ask(aliases.at(-1) ?? name);
    if (reply.kind === 'failure') return reply;
    aliases.push(...reply.aliases);
    // An alias that could be forged can lead to records that could not.
    if (reply.isAuthenticated !== true) authenticated = {};
    // The resolver may have followed an alias into a zone of its own; what it found there is not
    // shown.
    const unaskable = aliases.find((alias) => askable(alias) === undefined);
    if (unaskable !== undefined) return { kind: 'nxdomain', alias: unaskable };
    if (new Set([name, ...aliases]).size <= aliases.length) return failure('alias loop');
    if (aliases.length > MAX_ALIASES)
      return failure(`more than ${MAX_ALIASES} aliases`, 'alias_too_long');
    if (reply.kind === 'found')
      return { kind: 'found', records: reply.records, aliases, ...authenticated };
    if (reply.kind === 'nodata' || reply.kind === 'nxdomain') {
      const alias = aliases.at(-1);
      return { kind: reply.kind, ...(alias !== undefined && { alias }), ...authenticated };
    }
  }
}

/** The casts restate the question: records of type MX are hosts, all others are text. */
export function toResolver(
  resolve: (name: string, type: CheckedType) => Promise<Answer<RecordData>>,
): Resolver {
  return {
    txt: (name) => resolve(name, 'TXT') as Promise<Answer<string>>,
    mx: (name) => resolve(name, 'MX') as Promise<Answer<MxHost>>,
    a: (name) => resolve(name, 'A') as Promise<Answer<string>>,
    aaaa: (name) => resolve(name, 'AAAA') as Promise<Answer<string>>,
    tlsa: (name) => resolve(name, 'TLSA') as Promise<Answer<string>>,
  };
}

const METHODS = { TXT: 'txt', MX: 'mx', A: 'a', AAAA: 'aaaa', TLSA: 'tlsa' } as const;

export function queryType(
  resolver: Resolver,
  name: string,
  type: CheckedType,
): Promise<Answer<RecordData>> {
  return resolver[METHODS[type]](name);
}

/**
 * Counts the names and types that are queried, each once; not TLSA, which is queried on request.
 */
export function countQuestions(resolver: Resolver): {
  readonly resolver: Resolver;
  readonly count: number;
} {
  const questions = new Set<string>();
  const counted = toResolver((name, type) => {
    if (type !== 'TLSA') questions.add(`${name} ${type}`);
    return queryType(resolver, name, type);
  });
  return {
    resolver: { ...resolver, ...counted },
    get count() {
      return questions.size;
    },
  };
}
