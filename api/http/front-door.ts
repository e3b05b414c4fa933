import { HTTPResponse, type EventHandler } from 'h3';

/** GET /: redirects browsers to the console, and returns the main addresses to programs. */
export function frontDoor(publicUrl: string): EventHandler {
  const paths = { console: '/console', docs: '/docs', openapi: '/openapi.json', health: '/health' };
  const links = Object.entries(paths).map(([name, path]) => [name, publicUrl + path]);
  const document = JSON.stringify({ service: 'tapedeck', ...Object.fromEntries(links) });
  return ({ req }) => {
    const headers = { Vary: 'Accept' };
    if (req.headers.get('accept')?.includes('text/html') === true) {
      return new HTTPResponse(null, { status: 302, headers: { ...headers, Location: paths.console } });
    }
    return new HTTPResponse(document, { headers: { ...headers, 'Content-Type': 'application/json' } });
  };
}
