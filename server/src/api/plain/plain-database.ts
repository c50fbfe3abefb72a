/** Answers clients that poll for a database and have the current one. */
import { CACHING, isKnownTag } from '../../http/conditional.ts';
import { DATABASE, stateHeaders } from '../databases.ts';
import { NODES, type PlainDependencies, type PlainRoute } from './plain-route.ts';
import { textAnswers } from './text-answer.ts';

/** The question is the state that the client has. */
export function plainDatabase({
  databases,
  extraHeaders,
}: PlainDependencies): PlainRoute<ReturnType<typeof stateHeaders>> {
  const write = textAnswers(extraHeaders);
  return {
    declaration: DATABASE,
    read(bytes, { text, ifNoneMatch }) {
      const found = databases.findCurrent(text.replace(/\.mmdb$/, ''));
      const state = found && stateHeaders(found, 'mmdb');
      return state !== undefined && isKnownTag(ifNoneMatch.textIn(bytes), state.etag) ? state : NODES;
    },
    answer: (state, _served, charged, _elapsedMs, nowMs) => ({
      answer: write({ status: 304, caching: CACHING, headers: Object.entries(state) }, charged, nowMs),
      status: 304,
    }),
  };
}
