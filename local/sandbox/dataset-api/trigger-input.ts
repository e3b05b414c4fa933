import { z } from 'zod';
import { postReferenceOf, profileReferenceOf } from '../../../contract/imgnet-urls.ts';
import { type DatasetName, type Wanted, DATASET_IDS } from './collect.ts';

/** An answer that the API gives as plain text or JSON. */
export interface Refusal {
  readonly status: number;
  readonly body: string | object;
}

const DAY_MS = 86_400_000;
const inputSchema = z.object({
  url: z.string().optional(),
  user_name: z.string().optional(),
  num_of_posts: z.coerce.number().int().positive().optional(),
  start_date: z.string().optional(),
  end_date: z.string().optional(),
  posts_to_not_include: z.array(z.string()).optional(),
  post_type: z.string().optional(),
});
type Input = z.infer<typeof inputSchema>;

/** What a trigger asks for, or how the API refuses it. */
export function readTrigger(
  query: URLSearchParams,
  body: unknown,
): Refusal | { dataset: DatasetName; wanted: Wanted[] } {
  const id = query.get('dataset_id');
  if (id === null) return text(400, 'dataset missing');
  const dataset = (['profiles', 'posts', 'reels'] as const).find((name) => DATASET_IDS[name] === id);
  if (dataset === undefined) return text(404, 'dataset does not exist');
  const entries: unknown = Array.isArray(body) ? body : z.object({ input: z.unknown() }).safeParse(body).data?.input;
  const inputs = z.array(inputSchema).safeParse(entries);
  if (!inputs.success || inputs.data.length === 0) return text(400, 'No data to trigger');
  const discovers = query.get('type') === 'discover_new';
  const by = query.get('discover_by') ?? '';
  const ways = dataset === 'profiles' ? ['user_name'] : dataset === 'posts' ? ['url'] : ['url', 'url_all_reels'];
  if (discovers && !ways.includes(by)) return text(400, 'Incorrect discovery collector id');

  const wanted: Wanted[] = [];
  for (const input of inputs.data) {
    if (dataset === 'reels' && input.post_type !== undefined) {
      return text(400, 'This input should not contain a post_type field');
    }
    const one = wantedOf(input, { dataset, discovers, limit: query.get('limit_per_input') });
    if ('status' in one) return one;
    wanted.push(one);
  }
  return { dataset, wanted };
}

function wantedOf(
  input: Input,
  { dataset, discovers, limit }: { dataset: DatasetName; discovers: boolean; limit: string | null },
): Refusal | Wanted {
  const raw: object = input;
  if (dataset === 'profiles' && discovers) return { kind: 'profile', account: input.user_name ?? '', input: raw };
  if (input.url === undefined || !URL.canParse(input.url)) return invalid('url', 'This field must be a valid url');
  const hosts = [new URL(input.url).host];
  if (dataset === 'profiles')
    return { kind: 'profile', account: profileReferenceOf(input.url, hosts) ?? '', input: raw };
  if (!discovers) {
    return { kind: 'single', shortcode: postReferenceOf(input.url, hosts)?.shortcode ?? '', input: raw };
  }
  const from = dayOf(input.start_date);
  const to = dayOf(input.end_date);
  if (Number.isNaN(from)) return invalid('start_date', 'This field must be a valid date: MM-DD-YYYY');
  if (Number.isNaN(to)) return invalid('end_date', 'This field must be a valid date: MM-DD-YYYY');
  return {
    kind: 'list',
    account: profileReferenceOf(input.url, hosts) ?? '',
    fromMs: from,
    // The last day counts whole.
    toMs: to === undefined ? undefined : to + DAY_MS,
    max: Math.min(input.num_of_posts ?? Infinity, limit === null ? Infinity : Number(limit)),
    without: new Set(input.posts_to_not_include),
    postType: input.post_type === '' ? undefined : input.post_type,
    input: raw,
  };
}

/** @returns NaN for what is no `MM-DD-YYYY` */
function dayOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const [, month = '', day = '', year = ''] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text) ?? [];
  return Date.parse(`${year}-${month}-${day}T00:00:00Z`);
}

function text(status: number, body: string): Refusal {
  return { status, body };
}

function invalid(field: string, why: string): Refusal {
  return { status: 400, body: { error: 'Invalid input provided', code: 'validation_error', errors: [[field, why]] } };
}
