import { z } from 'zod';
import { postReferenceOf, profileReferenceOf } from '../../../contract/urls/imgnet-urls.ts';
import { type DatasetName, type Wanted, DATASET_IDS } from './collect.ts';
import { Refusal } from '../json-http.ts';

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
const inputsSchema = z.array(inputSchema).min(1);
const bodySchema = z.union([inputsSchema, z.object({ input: inputsSchema }).transform(({ input }) => input)]);
const DISCOVERIES: Readonly<Record<DatasetName, readonly string[]>> = {
  profiles: ['user_name'],
  posts: ['url'],
  reels: ['url', 'url_all_reels'],
};

export function readTrigger(query: URLSearchParams, body: unknown): { dataset: DatasetName; wanted: Wanted[] } {
  const dataset = readDataset(query);
  const inputs = bodySchema.safeParse(body);
  if (!inputs.success) throw new Refusal(400, 'No data to trigger');
  const discovers = query.get('type') === 'discover_new';
  if (discovers && !DISCOVERIES[dataset].includes(query.get('discover_by') ?? '')) {
    throw new Refusal(400, 'Incorrect discovery collector id');
  }
  const limit = Number(query.get('limit_per_input') ?? Infinity);
  return { dataset, wanted: inputs.data.map((input) => wantedOf(input, { dataset, discovers, limit })) };
}

export function readDataset(query: URLSearchParams): DatasetName {
  const id = query.get('dataset_id');
  if (id === null) throw new Refusal(400, 'dataset missing');
  const dataset = (['profiles', 'posts', 'reels'] as const).find((name) => DATASET_IDS[name] === id);
  if (dataset === undefined) throw new Refusal(404, 'dataset does not exist');
  return dataset;
}

function wantedOf(
  input: z.infer<typeof inputSchema>,
  { dataset, discovers, limit }: { dataset: DatasetName; discovers: boolean; limit: number },
): Wanted {
  if (dataset === 'reels' && input.post_type !== undefined) {
    throw new Refusal(400, 'This input should not contain a post_type field');
  }
  if (dataset === 'profiles' && discovers) return { kind: 'profile', account: input.user_name ?? '', input };
  if (input.url === undefined || !URL.canParse(input.url)) throw invalid('url', 'This field must be a valid url');
  const hosts = [new URL(input.url).host];
  const account = profileReferenceOf(input.url, hosts) ?? '';
  if (dataset === 'profiles') return { kind: 'profile', account, input };
  if (!discovers) return { kind: 'single', shortcode: postReferenceOf(input.url, hosts)?.shortcode ?? '', input };
  const to = dayOf('end_date', input.end_date);
  return {
    kind: 'list',
    account,
    fromMs: dayOf('start_date', input.start_date),
    // Includes the whole last day.
    toMs: to === undefined ? undefined : to + DAY_MS,
    max: Math.min(input.num_of_posts ?? Infinity, limit),
    without: new Set(input.posts_to_not_include),
    postType: input.post_type === '' ? undefined : input.post_type,
    input,
  };
}

function dayOf(field: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const [, month = '', day = '', year = ''] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text) ?? [];
  const startMs = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(startMs)) throw invalid(field, 'This field must be a valid date: MM-DD-YYYY');
  return startMs;
}

function invalid(field: string, why: string): Refusal {
  const body = { error: 'Invalid input provided', code: 'validation_error', errors: [[field, why]] };
  return new Refusal(400, body);
}
