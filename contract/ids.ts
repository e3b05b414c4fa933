import { z } from 'zod';

/** A ULID in its canonical spelling, because another spelling of the same number would be another key. */
export const ulidSchema = z
  .string()
  .regex(
    /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/,
    'must be a ULID: 26 characters out of 0-9 and A-Z in upper case, without I, L, O and U',
  )
  .meta({ id: 'Ulid', description: 'ULID', examples: ['01JD5Z3K6VQ0W8R9T2X4Y6B8CD'] });

/** The name of a published file inside the folder of its record. One dot at most, so that it cannot leave the folder. */
export const fileNameSchema = z.string().regex(/^[A-Za-z0-9_-]{1,80}\.[a-z0-9]{2,4}$/);

/** The ID of a video. It may start with a hyphen, so it must not be passed to a program as an argument of its own. */
export const vidnetVideoIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{11}$/, 'must be a video id of 11 characters out of A-Z, a-z, 0-9, "_" and "-"')
  .meta({ id: 'VidnetVideoId', description: 'Video id of the video platform', examples: ['k3fP0aTz9Qw'] });
