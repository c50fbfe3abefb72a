/** What a reverse name says about the line behind an address. */

export type Line = 'phone' | 'fixed' | 'unknown';

/** Domains below which an operator names phones only. */
const PHONE_DOMAINS = [
  'access-internet.ne.jp',
  'au-net.ne.jp',
  'centertel.pl',
  'd1-online.com',
  'elisa-mobile.fi',
  'mycingular.net',
  'myvzw.com',
  'openmobile.ne.jp',
  'panda-world.ne.jp',
  'spmode.ne.jp',
];
/**
 * Not cst2-*.cust.vodafone.cz, which keep their address for years, nor cust.vodafonedsl.it (DSL).
 */
const PHONE_LABELS = /^cst-[a-z]+-[\d-]+\.cust\.vodafone\./;
/** `mob-5-90-0-1`, `public-gprs12345`: a word of a label, with a number at its end. */
const PHONE_WORDS =
  /^(?:2g|3g|4g|5g|cdma|cellular|gprs|gsm|hsdpa|hspa|lte|mob|mobile|mobil|umts|wcdma|wwan)\d*$/;
const FIXED_LINES = /dsl|cable|catv|docsis|fib(?:er|re)|fixed|ftt[bchnpx]|gpon|home|pppoe/;
/** What is no host name is not judged, and so never printed. */
const HOST_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/;
const MAX_LENGTH = 120;

/** The registered domain (its last two labels) says who the operator is, not which line it is. */
export function lineOf(reverseName: string): Line {
  const name = reverseName.toLowerCase();
  if (name.length > MAX_LENGTH || !HOST_NAME.test(name)) return 'unknown';
  if (FIXED_LINES.test(name)) return 'fixed';
  if (PHONE_DOMAINS.some((domain) => name.endsWith(`.${domain}`))) return 'phone';
  if (PHONE_LABELS.test(name)) return 'phone';
  const words = name.split('.').slice(0, -2).join('-').split('-');
  return words.some((word) => PHONE_WORDS.test(word)) ? 'phone' : 'unknown';
}
