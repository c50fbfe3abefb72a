// A resolver over an object literal: an absent name is NXDOMAIN, an absent type NODATA. `asked`
// lists the questions as `example.com TXT`, each once.

import {
  canonical,
  failureOf,
  indexZone,
  type ZoneEntry,
  type ZoneRecords,
} from '@whence/testing/servers/zone-literal';
import { followAliases, toResolver } from '../dns/alias-chain.ts';
import {
  type Answer,
  type CheckResolver,
  failure,
  type RecordData,
  type RecordType,
  type Reply,
} from '../dns/answer.ts';
import { askableFrom, askableName } from '../dns/name.ts';

export function zone(records: ZoneRecords): CheckResolver & { readonly asked: string[] } {
  const find = indexZone(records);
  const answers = new Map<string, Promise<Answer<RecordData>>>();
  const asked: string[] = [];

  const resolve = async (text: string, type: RecordType): Promise<Answer<RecordData>> => {
    const askable = type === 'PTR' ? askableFrom(text) : askableName;
    const name = askable(text);
    if (name === undefined) return { kind: 'nxdomain' };
    const question = `${name} ${type}`;
    const known = answers.get(question);
    if (known !== undefined) return known;
    asked.push(question);
    const answer = followAliases(
      name,
      (target) => replyFrom(find(canonical(target)), type),
      askable,
    );
    answers.set(question, answer);
    return answer;
  };
  return {
    ...toResolver(resolve),
    // The records of PTR answers are texts.
    ptr: (name) => resolve(name, 'PTR') as Promise<Answer<string>>,
    unchecked: async (text, type) =>
      followAliases(text, (target) => recordsFrom(find(canonical(target)), type)),
    asked,
    get queries() {
      return asked.length;
    },
  };
}

function replyFrom(entry: ZoneEntry | undefined, type: RecordType): Reply {
  if (entry?.isBogus === true) return failure('SERVFAIL');
  const reply = recordsFrom(entry, type);
  return entry?.isSigned === true && reply.kind !== 'failure'
    ? { ...reply, isAuthenticated: true }
    : reply;
}

function recordsFrom(entry: ZoneEntry | undefined, type: RecordType): Reply {
  if (entry === undefined) return { kind: 'nxdomain', aliases: [], ttl: 0 };
  const reason = failureOf(entry, type);
  if (reason !== undefined) return failure(reason);
  if (entry.CNAME !== undefined)
    return { kind: 'alias', aliases: [canonical(entry.CNAME)], ttl: 0 };
  const records = dataOf(entry, type);
  return records.length > 0
    ? { kind: 'found', records, aliases: [], ttl: 0 }
    : { kind: 'nodata', aliases: [], ttl: 0 };
}

function dataOf(entry: ZoneEntry, type: RecordType): readonly RecordData[] {
  switch (type) {
    case 'TXT':
      return (entry.TXT ?? []).map((strings) => [strings].flat().join(''));
    case 'MX':
      return (entry.MX ?? []).map(([preference, exchange]) => ({
        preference,
        exchange: canonical(exchange),
      }));
    case 'PTR':
      return (entry.PTR ?? []).map(canonical);
    default:
      return entry[type] ?? [];
  }
}
