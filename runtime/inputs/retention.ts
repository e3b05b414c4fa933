import { z } from 'zod';

export const retentionDaysSchema = z.int().min(1);

/** Who takes the responsibility for removing files by hand: a name, for the history. */
export const confirmedBySchema = z.string().trim().min(1).max(200);
