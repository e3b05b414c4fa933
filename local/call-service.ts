import type { z } from 'zod';
import { politeFetch } from './polite-fetch.ts';

export type Service = ReturnType<typeof createService>;

export function createService(restUrl: string, signal: AbortSignal, headers: Readonly<Record<string, string>> = {}) {
  return async <Body>(path: string, schema: z.ZodType<Body>, request?: unknown) => {
    const sent = request === undefined ? {} : { method: 'POST', body: JSON.stringify(request) };
    const response = await politeFetch(restUrl + path, { signal, headers, ...sent });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${String(response.status)}: ${text}`);
    return { status: response.status, body: schema.parse(JSON.parse(text)) };
  };
}
