/**
 * What one question brings back, and how several become an answer: a server may name an alias without saying what stands behind it, and then
 * that name has to be asked as well.
 */
import type { Answer, MxHost, RecordType, Resolver } from './dns.ts';

export type RecordData = string | MxHost;

/** `aliases` are the CNAMEs followed within the reply, in order; `ttl` is for how many seconds it holds, 0 if it must not be kept. */
export type Reply =
  | {
      readonly kind: 'found';
      readonly records: readonly RecordData[];
      readonly aliases: readonly string[];
      readonly ttl: number;
    }
  /** `alias`: the last alias is left to be asked. `nodata` and `nxdomain` are said of the last alias, if there is one. */
  | { readonly kind: 'nodata' | 'nxdomain' | 'alias'; readonly aliases: readonly string[]; readonly ttl: number }
  | Failure;

export type Failure = { readonly kind: 'failure'; readonly reason: string };

export function failure(reason: string): Failure {
  return { kind: 'failure', reason };
}

/** RFC 1034 sets no limit. Resolvers do, between 8 (BIND's older ones) and 17; longer chains are mistakes. */
export const MAX_ALIASES = 10;

export async function followAliases(
  name: string,
  ask: (name: string) => Reply | Promise<Reply>,
): Promise<Answer<RecordData>> {
  const aliases: string[] = [];
  for (;;) {
    const reply = await ask(aliases.at(-1) ?? name);
    if (reply.kind === 'failure') return reply;
    aliases.push(...reply.aliases);
    if (aliases.length > MAX_ALIASES || new Set([name, ...aliases]).size <= aliases.length)
      return failure('alias loop');
    if (reply.kind === 'found') return { kind: 'found', records: reply.records, aliases };
    if (reply.kind === 'nodata') return { kind: 'nodata' };
    if (reply.kind === 'nxdomain') {
      const alias = aliases.at(-1);
      return alias === undefined ? { kind: 'nxdomain' } : { kind: 'nxdomain', alias };
    }
  }
}

/** The casts say what the question said: records of type MX are hosts, all others are text. */
export function toResolver(resolve: (name: string, type: RecordType) => Promise<Answer<RecordData>>): Resolver {
  return {
    txt: (name) => resolve(name, 'TXT') as Promise<Answer<string>>,
    mx: (name) => resolve(name, 'MX') as Promise<Answer<MxHost>>,
    a: (name) => resolve(name, 'A') as Promise<Answer<string>>,
    aaaa: (name) => resolve(name, 'AAAA') as Promise<Answer<string>>,
  };
}
