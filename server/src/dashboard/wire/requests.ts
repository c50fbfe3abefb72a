/**
 * What the routes of the dashboard take: a body, which Fastify validates, or a query, whose texts
 * the handlers parse. Types of both follow from these values; parameters of the path are in
 * `routes`.
 */
import { checkQuery } from '../../email-checks/check-request.ts';
import { trialBody } from '../../email-checks/try-request.ts';
import { DECISION_CHOICES } from '../../email-reports/decisions.ts';
import { sendersQuery } from '../../email-reports/senders-request.ts';
import { tlsReportsQuery } from '../../email-reports/tls-reports-request.ts';
import {
  allOptional,
  boolean,
  exactObject,
  integer,
  list,
  object,
  oneOfTexts,
  optional,
  orNull,
  string,
  text,
  typed,
} from '../../http/json-schema.ts';
import { searchQuery } from '../../lookup/lookup-requests.ts';
import {
  AUDIT_ACTIONS,
  CHANNEL_FORMATS,
  EXPORT_FORMATS,
  KEY_SORTS,
  KEY_STATES,
  KEY_STATUSES,
  PERMISSIONS,
  ROLES,
  SEVERITIES,
  SORT_ORDERS,
  TIER_NAMES,
  USAGE_GROUPS,
} from '../../vocabulary.ts';

import {
  addBody,
  changeBody,
  eventsQuery,
  listQuery,
  selectionBody,
} from '../../watch/watch-schema.ts';

const longText = text(1_000);
const token = text(100);
/** Empty for all domains. */
const channelTags = { ...list(text(100)), maxItems: 50 };

const identity = {
  name: longText,
  tier: oneOfTexts(TIER_NAMES),
  permissions: { ...list(oneOfTexts(PERMISSIONS)), minItems: 1, maxItems: PERMISSIONS.length },
};
/**
 * Their rules are checked by `keys/key-attributes`. Null, an empty note and an empty list remove an
 * attribute.
 */
const attributes = allOptional({
  note: text(2_000),
  /** ISO 8601 with a zone. */
  expires_at: orNull(text(40)),
  allowed_networks: { ...list(text(100)), maxItems: 200 },
  allowed_domains: { ...list(text(300)), maxItems: 200 },
  requests_per_second: orNull(typed<number>({ type: 'number' })),
  /** Null for the number of the tier. */
  daily_limit: orNull(typed<number>({ type: 'number' })),
});
const revokeInHours = typed<number>({ type: 'integer', minimum: 1, maximum: 8_760 });
const changedKey = allOptional({
  ...identity,
  ...attributes,
  /** Schedules the revocation of the key; null cancels it. */
  revoke_in_hours: orNull(revokeInHours),
});

const days = {
  from: string('The first day.', '2026-11-01'),
  to: string('The last day.', '2026-11-15'),
};
const usage = {
  ...days,
  key: string('Id of a key, or account:ID for lookups in the dashboard.'),
  /** Default: `endpoint`. */
  by: oneOfTexts(USAGE_GROUPS),
};
const audit = {
  action: oneOfTexts(AUDIT_ACTIONS),
  actor: string('Id of the account that acted.'),
  target: string('Id of the account, key or link.'),
  before: string('Entries before this id: next_before of the page before.'),
  limit: integer('Default 50, at most 500.'),
};
const keyList = {
  q: string(
    'The beginning of the name, the masked key, the id or the owner’s name. Case-insensitive.',
  ),
  /** `active` has keys that are paused or have expired too. */
  status: oneOfTexts(KEY_STATUSES),
  /** Narrower: `active` has only keys that are neither paused nor expired. */
  state: oneOfTexts(KEY_STATES),
  tier: oneOfTexts(TIER_NAMES),
  permission: oneOfTexts(PERMISSIONS),
  owner: string('Id of an account. Others than administrators see their own keys only.'),
  /** Default: `created_at`. `requests_today` counts refused requests too. */
  sort: oneOfTexts(KEY_SORTS),
  /** Default: `desc`. */
  order: oneOfTexts(SORT_ORDERS),
  after: string('next_after of the page before, with the same filter and order.'),
  limit: integer('Default 50, at most 1000.'),
};
const file = { format: oneOfTexts(EXPORT_FORMATS) };

const ruleSet = string('Name of the rule set. Default: default.');

const query = <P extends Readonly<Record<string, object>>>(parameters: P) =>
  object(allOptional(parameters));

export const requests = {
  signIn: { body: exactObject({ name: longText, password: longText }) },
  checkLink: { body: exactObject({ token }) },
  /** `name` where the link does not have one. */
  redeemLink: { body: exactObject({ token, name: optional(longText), password: longText }) },
  changePassword: { body: exactObject({ current_password: longText, new_password: longText }) },

  changePerson: {
    body: exactObject(
      allOptional({
        role: oneOfTexts(ROLES),
        is_disabled: boolean(),
        /** Empty for all. */
        allowed_domains: { ...list(text(300)), maxItems: 200 },
      }),
    ),
  },
  invite: { body: exactObject({ role: oneOfTexts(ROLES), note: optional(text(200)) }) },

  listKeys: { querystring: query(keyList) },
  createKey: { body: exactObject({ ...identity, ...attributes }) },
  findKey: { body: exactObject({ secret: text(100) }) },
  /** What is absent stays as it is. */
  changeKey: { body: exactObject(changedKey) },
  revokeKey: { body: exactObject({ name: longText }) },
  /** With `revoke_in_hours`, the key itself is revoked then. */
  rotateKey: {
    body: exactObject({ name: optional(longText), revoke_in_hours: optional(revokeInHours) }),
  },

  getUsage: { querystring: query(usage) },
  exportUsage: { querystring: query({ ...usage, ...file }) },
  getTraffic: { querystring: query({ hours: integer('Default 24.') }) },

  searchAsn: { querystring: searchQuery },
  checkDomain: { querystring: checkQuery },
  tryDomain: { body: trialBody },
  lookUpBatch: {
    body: exactObject({ ips: { ...list(typed<string>({ type: 'string' })), minItems: 1 } }),
  },

  createChannel: {
    body: exactObject({
      name: longText,
      format: oneOfTexts(CHANNEL_FORMATS),
      /** URL of a webhook, or an email address. */
      target: text(2_000),
      min_severity: oneOfTexts(SEVERITIES),
      tags: optional(channelTags),
      /** The account that it belongs to; one's own without it. */
      account_id: optional(text(100)),
    }),
  },
  changeChannel: {
    body: exactObject(
      allOptional({ name: longText, min_severity: oneOfTexts(SEVERITIES), tags: channelTags }),
    ),
  },
  confirmRecipient: { body: exactObject({ token }) },

  getSenders: { querystring: sendersQuery },
  getTlsReports: { querystring: tlsReportsQuery },
  /** `service` is the id of a sender in the answer to `getSenders` with the same query. */
  decideSender: {
    querystring: sendersQuery,
    body: exactObject({ service: text(300), decision: oneOfTexts(DECISION_CHOICES) }),
  },

  listWatched: { querystring: listQuery },
  watchDomains: { body: addBody },
  changeWatched: { body: changeBody },
  unwatchDomains: { body: selectionBody },
  checkWatched: { body: selectionBody },
  listEvents: { querystring: eventsQuery },

  chooseUpdates: { body: exactObject({ daily: boolean() }) },
  useVersion: { body: exactObject({ version: typed<number>({ type: 'integer', minimum: 1 }) }) },

  tryRule: {
    querystring: query({
      ip: string('Address of the client.', '8.8.8.8'),
      host: string('Host of the request.'),
      path: string('Path of the request.'),
      method: string('Method of the request.'),
      set: ruleSet,
    }),
  },
  replayLog: { querystring: query({ set: ruleSet }) },

  listAudit: { querystring: query(audit) },
  exportAudit: { querystring: query({ ...audit, ...file }) },
};
