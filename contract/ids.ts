import { z } from 'zod';

/** A ULID in its one canonical spelling: other spellings of the same number would be other keys. */
export const ulidSchema = z
  .string()
  .regex(
    /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/,
    'must be a ULID: 26 characters out of 0-9 and A-Z in upper case, without I, L, O and U',
  )
  .meta({ id: 'Ulid', description: 'ULID', examples: ['01JD5Z3K6VQ0W8R9T2X4Y6B8CD'] });

/** The name of a published file inside the folder of its record: only one dot, and no way up. */
export const fileNameSchema = z.string().regex(/^[A-Za-z0-9_-]{1,80}\.[a-z0-9]{2,4}$/);

/** The id of a video as the platform writes it. A leading hyphen is legal, so an id is never a bare argument. */
export const vidnetVideoIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{11}$/, 'must be a video id of 11 characters out of A-Z, a-z, 0-9, "_" and "-"')
  .meta({ id: 'VidnetVideoId', description: 'Video id of the video platform', examples: ['k3fP0aTz9Qw'] });
