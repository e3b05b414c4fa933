import type { z } from 'zod';
import type { Scope } from '../contract/accounts.ts';
import type { ErrorCode } from '../contract/errors.ts';

interface OperationAnswer {
  readonly description: string;
  /** Of a JSON answer; a text otherwise. */
  readonly schema?: z.ZodType;
  /** Default: application/json. */
  readonly contentTypes?: readonly string[];
}

/** One REST operation as callers see it. The routes and the OpenAPI document are both made from this table. */
export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Whether it waits for the result without `Prefer: wait=N` too; absent where that is not honoured. */
  readonly wait?: 'when asked' | 'by default';
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  /** What an API key must be allowed to do; `none`: open to everyone. By default `read` for GET, else `jobs`. */
  readonly scope?: Scope | 'none';
  readonly errors: readonly ErrorCode[];
}

/** Errors that any operation may answer, those with an id in the path, those that read a body, and those that start a job. */
export const ALWAYS = [
  'unauthorized',
  'forbidden',
  'method_not_allowed',
  'rate_limited',
  'answers_unread',
  'internal',
  'unavailable',
] as const;
/** A path that no percent-decoding makes sense of is no id that is unknown. */
export const WITH_ID = ['invalid_input', 'not_found', ...ALWAYS] as const;
export const WITH_BODY = ['invalid_input', 'invalid_json', 'body_too_large', ...ALWAYS] as const;
export const STARTS_JOB = [
  ...WITH_BODY,
  'webhook_target_forbidden',
  'too_many_webhooks',
  'insufficient_credit',
] as const;

/** How long an operation waits for the result when the caller does not say. */
export function waitSecondsOf({ wait }: Operation, defaultWaitSeconds: number): number {
  return wait === 'by default' ? defaultWaitSeconds : 0;
}

export function scopeOf({ scope, method }: Operation): Scope | 'none' {
  return scope ?? (method === 'get' ? 'read' : 'jobs');
}
