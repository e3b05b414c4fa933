import { z } from 'zod';

/** As `deliveryIdOf` makes it. */
export const deliveryIdSchema = z.string().regex(/^webhook\/[0-7][0-9A-HJKMNP-TV-Z]{25}\/[1-9]\d{0,5}$/);
