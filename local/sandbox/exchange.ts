import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonAnswer } from './json-http.ts';

export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly url: URL;
}

/** Some JSON, or undefined when the answer was sent already. */
export type Handled = Promise<JsonAnswer | undefined>;
