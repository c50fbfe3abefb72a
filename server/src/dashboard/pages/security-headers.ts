/** Security headers of pages: own files only, no frames, no browser features, no Referer to other sites. */

/** Without `unsafe-inline`: styles are files, and what pages set through the CSSOM is not restricted. */
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

/** One year; only over TLS, because the browser would refuse plain HTTP afterwards. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

export function pageHeaders(isSecure: boolean): Record<string, string> {
  return isSecure ? { ...HEADERS, 'Strict-Transport-Security': STRICT_TRANSPORT_SECURITY } : HEADERS;
}
