import { z } from 'zod';
import { ulidSchema } from '../../contract/ids.ts';

/** The id of a download in a path, and what an unknown one is told. */
export const downloadIdParams = z.object({ downloadId: ulidSchema });
export const UNKNOWN_DOWNLOAD = { downloadId: 'There is no download with this id.' };
