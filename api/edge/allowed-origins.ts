import { handleCors, type Middleware } from 'h3';
import { AUTHORIZATION_IGNORED } from '../access/access-middleware.ts';
import { IDEMPOTENCY_KEY } from '../http/idempotency.ts';

/** CORS for pages of the origins that the operator names. Other pages get none of its headers. */
export function allowOrigins(origins: readonly string[]): Middleware {
  return (event, next) => {
    if (!origins.includes(event.req.headers.get('origin') ?? '')) return next();
    const preflight = handleCors(event, {
      origin: [...origins],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowHeaders: ['Authorization', 'Content-Type', IDEMPOTENCY_KEY, 'Last-Event-ID', 'Mcp-Session-Id', 'Prefer'],
      exposeHeaders: [AUTHORIZATION_IGNORED, 'Retry-After', 'RateLimit-Remaining', 'RateLimit-Reset', 'X-Request-Id'],
      maxAge: '600',
      preflight: { statusCode: 204 },
    });
    return preflight === false ? next() : preflight;
  };
}
