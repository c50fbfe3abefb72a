/** What browsers are told about pages: nothing but our own files, no frames, no features, no Referer to others. */

/** Styles too are files: no `unsafe-inline`. Pages set styles through the CSSOM, which the policy does not concern. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  // For browsers that do not know frame-ancestors.
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** A year; only where the browser came over TLS, or it could not come back without. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

export function pageHeaders(isSecure: boolean): Record<string, string> {
  return isSecure ? { ...HEADERS, 'Strict-Transport-Security': STRICT_TRANSPORT_SECURITY } : HEADERS;
}
