/** Under which ids requests without an API key are counted. No key has one of them. */

/** API requests without a valid key. */
export const KEYLESS_USAGE_ID = 'none';
/** Lookups of people without an account. */
export const PUBLIC_USAGE_ID = 'public';
export const ACCOUNT_USAGE_PREFIX = 'account:';
/** Lookups of an account in the dashboard. */
export const usageIdOf = (accountId: string) => `${ACCOUNT_USAGE_PREFIX}${accountId}`;
