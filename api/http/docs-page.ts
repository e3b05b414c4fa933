import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fromNodeHandler, HTTPResponse, type EventHandler } from 'h3';
import send from 'send';
import { ApiError } from '../../contract/http/api-error.ts';
import { SECURITY_HEADERS } from '../edge/security-headers.ts';

const ASSETS = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const SERVED = new Set(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']);
const INITIALIZER = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui' });`;
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Tapedeck API</title>
    <link rel="icon" href="/docs/favicon-32x32.png" />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/initializer.js"></script>
  </body>
</html>
`;
/** The page has "Try it out" buttons, so other sites must not frame it. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The API page at /docs, with all its parts from the installed package: it works without a network. */
export function docsPage(): EventHandler {
  return (event) => {
    const name = event.url.pathname.replace(/^\/docs\/?/, '');
    if (name === '') {
      event.res.headers.set('Content-Security-Policy', PAGE_POLICY);
      return text(PAGE, 'text/html; charset=utf-8');
    }
    if (name === 'initializer.js') return text(INITIALIZER, 'text/javascript; charset=utf-8');
    if (!SERVED.has(name)) throw new ApiError('not_found', 'There is nothing at this path.');
    return asset(name)(event);
  };
}

export function textPage(body: string, contentType: string): EventHandler {
  return () => text(body, `${contentType}; charset=utf-8`);
}

function text(body: string, contentType: string): HTTPResponse {
  return new HTTPResponse(body, { headers: { 'Content-Type': contentType } });
}

function asset(name: string): EventHandler {
  return fromNodeHandler(async (request, response) => {
    // h3 types both as HTTP/1 or HTTP/2; its server here is HTTP/1 only.
    const target = response as ServerResponse;
    await new Promise<void>((resolve) => {
      target.once('close', resolve);
      for (const [header, value] of Object.entries(SECURITY_HEADERS)) target.setHeader(header, value);
      send(request as IncomingMessage, name, { root: ASSETS, maxAge: '1h' }).pipe(target);
    });
  });
}
