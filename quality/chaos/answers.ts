import { z } from 'zod';
import { recordStatusSchema } from '../../contract/download-record.ts';
import { parseJson } from '../../runtime/parse-json.ts';

const job = z.object({ id: z.string(), status: recordStatusSchema });
/** Wherever an answer, or a webhook, tells of jobs; the rest of it is not looked at. */
const bodySchema = z.object({
  data: job.optional().catch(undefined),
  download: job.optional().catch(undefined),
  downloads: z.object({ posts: job.optional(), reels: job.optional() }).optional().catch(undefined),
  download_id: z.string().optional(),
  status: z.string().optional(),
  list_id: z.string().optional(),
  id: z.string().optional(),
  code: z.string().optional(),
  error: z.string().optional(),
});
export type AnswerBody = z.infer<typeof bodySchema>;

/** @returns undefined for what is no JSON object */
export function readBody(text: string): AnswerBody | undefined {
  return bodySchema.safeParse(parseJson(text)).data;
}

/** The jobs that an answer or a webhook of any kind tells of. */
export function jobsIn(body: AnswerBody): readonly Readonly<z.infer<typeof job>>[] {
  const { data, download, downloads, download_id: id, status } = body;
  const named = [data, download, downloads?.posts, downloads?.reels].filter((one) => one !== undefined);
  if (named.length > 0 || id === undefined) return named;
  const parsed = recordStatusSchema.safeParse(status);
  return parsed.success ? [{ id, status: parsed.data }] : [];
}
