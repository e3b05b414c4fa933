import { handleCors, type Middleware } from 'h3';

/** CORS for pages of the origins that the operator names. Other pages get none of its headers. */
export function allowOrigins(origins: readonly string[]): Middleware {
  return (event, next) => {
    if (!origins.includes(event.req.headers.get('origin') ?? '')) return next();
    // All methods and headers, also those of MCP and of uploads.
    const preflight = handleCors(event, { origin: [...origins], maxAge: '600' });
    return preflight === false ? next() : preflight;
  };
}
