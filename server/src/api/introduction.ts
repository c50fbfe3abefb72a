/**
 * The first pages of the API reference, in Markdown: quick start, limits and errors, from the
 * tables that apply.
 */
import { errors } from '../http/errors.ts';
import { TIERS } from '../keys/tiers.ts';
import { PERMISSIONS, TIER_NAMES } from '../vocabulary.ts';

export function introduction(): string {
  return `Network intelligence and checks of mail domains, on your own machine.

# Quick start

1. Create a key: in the dashboard under Keys, or with \`wh key create\`. It is shown once.
2. Send it in the header \`X-API-Key\`:

\`\`\`sh
curl -H "X-API-Key: $WHENCE_KEY" $WHENCE_URL/v1/ip/8.8.8.8
\`\`\`

Every answer is an object with \`data\` and \`meta\`. Requests on this page can be tried with your key, which stays in
the browser. Node programs have \`@whence/client\`.

# Limits

| tier | requests per UTC day | addresses per batch |
|---|---|---|
${TIER_NAMES.map((tier) => `| ${tier} | ${requestsOf(tier)} | ${TIERS[tier].batchSize.toLocaleString('en')} |`).join('\n')}

A batch counts as one request. \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` are on every
answer to a key; the limit resets at 00:00 UTC. A key has one or more of the permissions
${PERMISSIONS.map((permission) => `\`${permission}\``).join(', ')}.

# Errors

Of a refusal, \`data\` has \`error\`, a text, and \`code\`, which does not change. \`X-Request-ID\` names the request in
the log of the server. Where a retry can help there is a \`Retry-After\` header.

| status | code | error |
|---|---|---|
${errorRows().join('\n')}
`;
}

function requestsOf(tier: keyof typeof TIERS): string {
  const { requestsPerDay } = TIERS[tier];
  return Number.isFinite(requestsPerDay) ? requestsPerDay.toLocaleString('en') : 'unlimited';
}

/** Rows that share a code and a status are one: their texts are alternatives. */
function errorRows(): string[] {
  const texts = new Map<string, Set<string>>();
  for (const [name, row] of Object.entries(errors)) {
    const key = `${row.status} | \`${'code' in row ? row.code : name}\``;
    texts.set(key, (texts.get(key) ?? new Set()).add(row.text));
  }
  return [...texts].map(([key, own]) => `| ${key} | ${[...own].join(', ')} |`);
}
