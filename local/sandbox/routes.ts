import type { IncomingMessage, ServerResponse } from 'node:http';
import { createControl, type ControlParts } from './control-routes.ts';
import { createDataApi } from './data-api/handler.ts';
import { refusal, sendJson } from './json-http.ts';
import { createVideoRoutes } from './video-routes.ts';

/** Answers every request. No path from outside reaches the disk: only entries of the catalogue do. */
export function createRoutes(parts: ControlParts): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const dataApi = createDataApi(parts);
  const control = createControl(parts);
  const videos = createVideoRoutes(parts);

  return async (req, res) => {
    // Joined and not resolved: `//x` would otherwise be the host x.
    const address = (req.url ?? '').startsWith('/') ? `http://sandbox${req.url ?? ''}` : '';
    if (!URL.canParse(address)) {
      sendJson(res, refusal(400, 'The URL cannot be read.'));
      return;
    }
    const url = new URL(address);
    if (dataApi(req, res, url)) return;
    for (const platform of parts.platforms) {
      if (await platform.handle(req, res, url)) return;
    }
    const handled = (await control({ req, res, url })) ?? (await videos({ req, res, url }));
    if (handled !== undefined) sendJson(res, handled);
  };
}
