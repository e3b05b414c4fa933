import http from 'node:http';
import https from 'node:https';
import { KEPT_IDLE_MS } from '../http-answer.ts';

const CONNECTIONS = 8;

export interface Connections {
  readonly reading: http.Agent;
  /** Keeps none, so that each request has a fresh one. */
  readonly posting: http.Agent;
  readonly send: typeof http.request;
}

/** At most so many at a time of each kind; others wait. */
export function connectionsTo({ protocol }: URL, trustedCa: string | undefined): Connections {
  const limits = { maxSockets: CONNECTIONS, timeout: KEPT_IDLE_MS };
  if (protocol === 'http:') {
    const [reading, posting] = [new http.Agent({ ...limits, keepAlive: true }), new http.Agent(limits)];
    return { reading, posting, send: http.request };
  }
  // Said outright, since NODE_TLS_REJECT_UNAUTHORIZED=0 would change the default.
  const trust = { rejectUnauthorized: true, ...(trustedCa === undefined ? {} : { ca: trustedCa }) };
  const reading = new https.Agent({ ...limits, ...trust, keepAlive: true });
  return { reading, posting: new https.Agent({ ...limits, ...trust }), send: https.request };
}
