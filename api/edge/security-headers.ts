import type { Middleware } from 'h3';

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Sets the headers on every answer except files, which other pages may show. Headers that a route sets take precedence. */
export const securityHeaders: Middleware = (event, next) => {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) event.res.headers.set(name, value);
  return next();
};
