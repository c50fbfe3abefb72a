/** What requests about watched domains take and answer, for the API and the dashboard. */
import {
  boolean,
  dateTime,
  exactObject,
  integer,
  list,
  listParameter,
  namedObject,
  object,
  oneOfTexts,
  optional,
  string,
  strings,
  text,
  typed,
  type ValueOf,
} from '../http/json-schema.ts';
import { EVENT_STATES, SEVERITIES } from '../vocabulary.ts';

/** More are sent in several requests. */
export const MAX_AT_ONCE = 1_000;
const MAX_TAGS = 20;
const MAX_PAGE = 1_000;

const GRADES = ['A', 'B', 'C', 'D', 'F'] as const;
const WATCH_SORTS = ['domain', 'worst'] as const;

const names = { ...list(text(300), 'Domains.'), minItems: 1, maxItems: MAX_AT_ONCE };
const tags = optional({
  ...list(text(40), 'Tags: letters, digits, `.`, `_` and `-`.'),
  maxItems: MAX_TAGS,
});
const note = optional(text(1_000));
const limit = optional({
  ...integer('Entries of a page.'),
  minimum: 1,
  maximum: MAX_PAGE,
  default: 100,
});
const cursor = optional(string('Continues after an earlier answer: its `next_cursor`.'));

export const addBody = {
  ...exactObject({ domains: names, tags, note }),
  examples: [{ domains: ['example.com', 'example.net'], tags: ['customers'] }],
};
/** What is absent stays as it is; an empty note removes it. */
export const changeBody = {
  ...exactObject({ tags, note }),
  examples: [{ tags: ['customers'], note: 'Moves to another provider in March.' }],
};
export const selectionBody = exactObject({ domains: names });

export const removeQuery = object({
  domains: listParameter(
    typed<string>({ type: 'string' }),
    `The domains, at most ${MAX_AT_ONCE}, separated by commas.`,
    ['example.com'],
  ),
});

export const listQuery = object({
  q: optional(string('The beginning of the name.', 'exam')),
  tag: optional(string('Those with this tag.', 'customers')),
  grade: optional(oneOfTexts(GRADES)),
  open: optional(boolean('Those with open events, or without.')),
  sort: optional({
    ...oneOfTexts(WATCH_SORTS, '`worst`: the most severe open events first.'),
    default: 'domain',
  }),
  limit,
  cursor,
});

export const eventsQuery = object({
  domain: optional(string('Events of this domain.', 'example.com')),
  state: optional(oneOfTexts(EVENT_STATES)),
  since: optional(
    string('Those that opened, came back or ended since: a day or a time in UTC.', '2026-11-15'),
  ),
  limit,
  cursor,
});

export const watchedDomain = namedObject('WatchedDomain', {
  domain: string('The name, in A-labels.', 'example.com'),
  tags: strings('Its tags.'),
  note: optional(string('What a person has noted.')),
  added_at: dateTime('When it was added.'),
  added_by: string('By whom.', 'alice'),
  score: optional(integer('Of the last complete check.')),
  grade: optional(oneOfTexts(GRADES)),
  policy: optional(string('The DMARC policy in force.', 'reject')),
  verdict: optional(
    oneOfTexts(
      ['yes', 'no', 'not_enough'],
      'Whether reports allow a stricter policy; for those who may read them.',
    ),
  ),
  open_events: integer('How many events are open.'),
  worst: optional(oneOfTexts(SEVERITIES, 'The severity of the worst of them.')),
  checked_at: optional(dateTime('Of the last check; absent before the first one.')),
  unanswered_since: optional(dateTime('Since when something does not answer.')),
  next_check_at: dateTime('When the next check begins.'),
});
export type ShownDomain = ValueOf<typeof watchedDomain>;

export const watchEvent = namedObject('WatchEvent', {
  id: string('Its id, which does not change.', '0199a1b2c3d4e5f6a7b8c9d0'),
  domain: string('The domain; empty for events of the server itself.', 'example.com'),
  code: string('What it is about: a code of the check, or of docs/watch.md.', 'policy_weaker'),
  subject: string('The selector, host, sender or record; empty where the code says all.', 'DMARC'),
  severity: oneOfTexts(SEVERITIES),
  sentence: string('What is wrong.'),
  act: string('What to do.'),
  old_text: optional(string('What was expected.')),
  new_text: optional(string('What was found instead.')),
  first_seen: dateTime('When a check found it first.'),
  last_seen: dateTime('When a check found it last.'),
  reopened_at: optional(dateTime('When it came back, within a week of its end.')),
  resolved_at: optional(dateTime('When it ended; absent while it is open.')),
  duration_seconds: integer('From the first to its end, or to now.'),
  accepted_by: optional(string('Who accepted it, if it ended so.', 'alice')),
  quiet: optional(
    oneOfTexts(
      ['first_check', 'new_release'],
      'Why its opening was not alerted: it was there at the first check, or a new release is the first to find it.',
    ),
  ),
});
export type ShownEvent = ValueOf<typeof watchEvent>;

export const addedDomains = namedObject('AddedDomains', {
  added: strings('Watched from now on.'),
  watched: strings('Were watched already; their tags and notes have not changed.'),
  invalid: strings('Are no domain names.'),
});
export type AddedDomains = ValueOf<typeof addedDomains>;

export const domainPage = namedObject('WatchedDomainPage', {
  domains: list(watchedDomain),
  total: integer('All with this filter.'),
  next_cursor: optional(string('For the next page; absent on the last one.')),
});
export type DomainPage = ValueOf<typeof domainPage>;

export const eventPage = namedObject('WatchEventPage', {
  events: list(watchEvent, 'The latest first.'),
  next_cursor: optional(string('For the next page; absent on the last one.')),
});
export type EventPage = ValueOf<typeof eventPage>;
