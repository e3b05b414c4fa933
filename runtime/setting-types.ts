import { z } from 'zod';

/** The types of settings, which are texts in the environment. */
export const text = z.string();
export const optionalText = text.optional();
/** A password or bearer token. */
export const optionalToken = text.regex(/^\S{32,}$/, 'at least 32 characters, no spaces').optional();
export const bool = z.stringbool();
export const count = z.coerce.number().int().nonnegative();
export const positive = z.coerce.number().int().positive();
export const port = count.max(65_535);
export const optionalPort = port.optional();
export const url = z.url({ protocol: /^https?$/ });
export const optionalUrl = url.optional();

/** Entries that are separated by commas, without empty ones. */
export const list = text.transform((entries): readonly string[] =>
  entries
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);
