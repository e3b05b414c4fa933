import { z } from 'zod';

/** Fields that several results of the photo platform share. Those that are optional are absent when the platform's record does not tell them. */
export const countSchema = z.number().int().nonnegative();
export const secondsSchema = countSchema.describe('Whole seconds');
export const wordSchema = z.string().min(1);
export const urlSchema = z.url({ protocol: /^https?$/ });
export const timeSchema = z.iso
  .datetime()
  .meta({ description: 'ISO 8601 UTC', examples: ['2026-03-14T18:00:00.000Z'] });
export const timeOrDaySchema = z
  .union([z.iso.datetime(), z.iso.date()])
  .describe('ISO 8601 UTC; only the day where the platform tells no more');
