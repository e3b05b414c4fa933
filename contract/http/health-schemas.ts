import { z } from 'zod';

const partSchema = z.enum(['ok', 'unavailable']);

export const healthSchema = z
  .object({ status: partSchema, temporal: partSchema, mongodb: partSchema })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof healthSchema>;

export const liveSchema = z.object({ status: z.literal('ok') }).meta({ id: 'Live' });
