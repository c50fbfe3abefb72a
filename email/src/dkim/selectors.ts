export const MAX_SELECTORS = 50;

// DNS cannot list the selectors of a domain. These are the ones that mail providers tell their
// customers to use.
const COMMON_SELECTORS =
  'google default selector1 selector2 s1 s2 k1 k2 k3 mail dkim email smtp mandrill mxvault everlytickey1 everlytickey2 ' +
  'fm1 fm2 fm3 sig1 ctct1 ctct2 zendesk1 zendesk2 litesrv sm pm brevo1 brevo2 smtpapi mailjet 20230601 mx key1 x ' +
  'protonmail protonmail2 protonmail3 zoho';

export function isCommonSelector(selector: string): boolean {
  return COMMON_SELECTORS.split(' ').includes(selector);
}

/** In the order in which they are reported. */
export function defaultSelectors(domain: string): string[] {
  const selectors = COMMON_SELECTORS.split(' ');
  // Microsoft 365 names the keys of a tenant's own domain after it:
  // selector1-contoso-onmicrosoft-com.
  if (domain.endsWith('.onmicrosoft.com')) {
    const dashed = domain.replaceAll('.', '-');
    selectors.push(...[`selector1-${dashed}`, `selector2-${dashed}`].filter(isSelector));
  }
  return selectors;
}

/** Without blanks, empty ones and repetitions in any case; the first spelling is kept. */
export function tidySelectors(requested: readonly string[]): string[] {
  const bySpelling = new Map<string, string>();
  for (const selector of requested.map((text) => text.trim())) {
    const key = selector.toLowerCase();
    if (selector !== '' && !bySpelling.has(key)) bySpelling.set(key, selector);
  }
  return [...bySpelling.values()];
}

/**
 * RFC 6376 §3.1: labels of letters, digits and inner hyphens. Underscores are accepted because they
 * occur.
 */
export function isSelector(text: string): boolean {
  return text.split('.').every((label) => label.length <= 63 && LABEL.test(label));
}

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/i;
