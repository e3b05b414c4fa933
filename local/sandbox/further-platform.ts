import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonAnswer } from './json-http.ts';

/** Another platform that the sandbox stands for, beside the video platform. */
export interface FurtherPlatform {
  /** Its place in /stats, and the target of its switches. */
  readonly name: string;
  /** @returns false when the request is not for it */
  handle(req: IncomingMessage, res: ServerResponse, url: URL): Promise<boolean>;
  /** For the list of contents. */
  accounts(): readonly object[];
  posts(): readonly object[];
  stats(): object;
  resetStats(): void;
  /** Sets a switch. @param body of POST /misbehave */
  misbehave(body: unknown): JsonAnswer;
  switches(): readonly object[];
  /** Ends all its switches. */
  behave(): void;
}
