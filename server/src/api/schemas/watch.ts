/** Watched domains and their events. */
import { exactObject, namedObject, string, strings } from '../../http/json-schema.ts';
import {
  addBody,
  addedDomains,
  changeBody,
  domainPage,
  eventPage,
  eventsQuery,
  listQuery,
  removeQuery,
  watchEvent,
  watchedDomain,
} from '../../watch/watch-schema.ts';
import { bodyRefusals, envelope, operation, refusal, refusals } from './refusals.ts';

const answers = {
  ...refusals,
  403: refusal('The key lacks the permission, or may not use the domain.', 'FORBIDDEN'),
  503: refusal('Storage is down, or the server is overloaded.', [
    'STORAGE_UNAVAILABLE',
    'OVERLOADED',
  ]),
};
const badQuery = refusal('A value that a parameter cannot have.', [
  'INVALID_QUERY',
  'INVALID_LIMIT',
  'INVALID_DOMAIN',
]);
const badBody = refusal('A body that is not as described.', 'INVALID_REQUEST');
const notWatched = refusal('Not on the list.', 'DOMAIN_NOT_WATCHED');
const params = exactObject({ domain: string('The name.', 'example.com') });

export const watchedDomainsSchema = operation('Watched domains', {
  operationId: 'listWatchedDomains',
  summary: 'List watched domains',
  querystring: listQuery,
  response: { 200: envelope('A page of them.', domainPage), 400: badQuery, ...answers },
});

export const watchDomainsSchema = operation('Watched domains', {
  operationId: 'watchDomains',
  summary: 'Watch domains',
  description: 'They are checked at once, and then once a day.',
  body: addBody,
  response: {
    200: envelope('What became of each.', addedDomains),
    400: badBody,
    409: refusal('More than a server watches; none was added.', 'WATCH_LIST_FULL'),
    ...bodyRefusals,
    ...answers,
  },
});

export const unwatchDomainsSchema = operation('Watched domains', {
  operationId: 'unwatchDomains',
  summary: 'Stop watching domains',
  description: 'Their open events end with it.',
  querystring: removeQuery,
  response: {
    200: envelope(
      'Those that were watched.',
      namedObject('RemovedDomains', { removed: strings('The domains.') }),
    ),
    400: badQuery,
    ...answers,
  },
});

export const changeWatchedSchema = operation('Watched domains', {
  operationId: 'changeWatchedDomain',
  summary: 'Change tags and note',
  params,
  body: changeBody,
  response: {
    200: envelope('As it is now.', watchedDomain),
    400: refusal('A wrong body or name.', ['INVALID_REQUEST', 'INVALID_DOMAIN']),
    404: notWatched,
    ...bodyRefusals,
    ...answers,
  },
});

export const checkWatchedSchema = operation('Watched domains', {
  operationId: 'checkWatchedDomain',
  summary: 'Check a watched domain now',
  description: 'The check begins within seconds; its result is in the list.',
  params,
  response: {
    200: envelope('The domain.', watchedDomain),
    400: refusal('Not a domain.', 'INVALID_DOMAIN'),
    404: notWatched,
    ...answers,
  },
});

export const eventsSchema = operation('Watched domains', {
  operationId: 'listEvents',
  summary: 'List events of watched domains',
  querystring: eventsQuery,
  response: { 200: envelope('A page of them.', eventPage), 400: badQuery, ...answers },
});

export const acceptEventSchema = operation('Watched domains', {
  operationId: 'acceptEvent',
  summary: 'Accept an event',
  description:
    'Ends an event about a change, and expects from now on what the last check has found: `record_changed`, `policy_weaker`, `key_gone`, `new_sender`, `reporter_silent`, `verdict_changed`.',
  params: exactObject({ id: string('The id of the event.', '0199a1b2c3d4e5f6a7b8c9d0') }),
  response: {
    200: envelope('The event, which has ended.', watchEvent),
    404: refusal('No event with this id.', 'EVENT_NOT_FOUND'),
    409: refusal('Not one that can be accepted.', 'EVENT_NOT_ACCEPTABLE'),
    ...answers,
  },
});
