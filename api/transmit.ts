import type { IncomingMessage, ServerResponse } from 'node:http';
import { fromNodeHandler, type EventHandler } from 'h3';
import type send from 'send';
import { SECURITY_HEADERS } from './edge/security-headers.ts';

/** An event handler that lets `send` write the response; it is over when the response is, sent whole or cut. */
export function transmit(open: (request: IncomingMessage, response: ServerResponse) => send.SendStream): EventHandler {
  return fromNodeHandler(async (request, response) => {
    // h3 types both as HTTP/1 or HTTP/2; its server here is HTTP/1 only.
    const target = response as ServerResponse;
    await new Promise<void>((resolve) => {
      target.once('close', resolve);
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) target.setHeader(name, value);
      open(request as IncomingMessage, target).pipe(target);
    });
  });
}
