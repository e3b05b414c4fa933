import type { Middleware } from 'h3';

/**
 * What tells a browser to do no more with an answer than show it: no guessing of its type, no running of what may stand in
 * it, no frame of another page around it, and no address of ours to the places that it links to.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** On every answer but files, which bring their own: pages of others may show those. What a route sets itself comes later and wins. */
export const securityHeaders: Middleware = (event, next) => {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) event.res.headers.set(name, value);
  return next();
};
