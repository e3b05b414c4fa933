import { z } from 'zod';
import { parseJson } from '../../runtime/parse-json.ts';
import { orderOf, type TriggerSettings } from './bright-data-requests.ts';
import { readCsv } from './csv.ts';
import type { DatasetClient } from './dataset-client.ts';
import { httpFailure } from './dataset-failures.ts';
import type { ImgnetCall, ImgnetSource, SnapshotRequest } from './imgnet-source.ts';

/** A page of the list has about 100 KB. */
const PAGE_SIZE = 500;
/** Enough for 20,000 snapshots of one dataset within two days. The limit ends a list that never ends. */
const MAX_PAGES = 40;
const DAY_MS = 86_400_000;
/** Upper bound of the difference to the clock of the provider. A snapshot that is older than the request by less is as good. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

const listSchema = z.array(
  z.object({
    id: z.string().regex(/^[\w-]{1,100}$/),
    created: z
      .string()
      .transform((text) => Date.parse(text))
      .refine((ms) => !Number.isNaN(ms), 'no time'),
  }),
);
type Listed = z.infer<typeof listSchema>;

export function startedSnapshots(
  client: DatasetClient,
  settings: TriggerSettings,
): Pick<ImgnetSource, 'startedSince' | 'isOf'> {
  const read = async <Result>(
    path: string,
    call: ImgnetCall,
    parse: (text: string) => Result | undefined,
  ): Promise<Result> => {
    const answer = await client.exchange({ method: 'GET', path }, call);
    const parsed = answer.statusCode === 200 ? parse(answer.text) : undefined;
    if (parsed === undefined) throw httpFailure(answer);
    return parsed;
  };

  const startedSince = async (request: SnapshotRequest, sinceMs: number, call: ImgnetCall): Promise<string[]> => {
    const fromMs = sinceMs - CLOCKS_DIFFER_MS;
    const query = {
      dataset_id: orderOf(request, settings).datasetId,
      // The parameter is a day. The API does not document the time zone, or whether the day itself is included.
      from_date: new Date(fromMs - DAY_MS).toISOString().slice(0, 10),
      limit: String(PAGE_SIZE),
    };
    const found = new Map<string, number>();
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const parameters = new URLSearchParams({ ...query, skip: String(page * PAGE_SIZE) });
      const listed = await read(
        `/datasets/v3/snapshots?${parameters.toString()}`,
        call,
        (text) => listSchema.safeParse(parseJson(text)).data,
      );
      for (const { id, created } of listed) if (created >= fromMs) found.set(id, created);
      if (listed.length < PAGE_SIZE || isPast(listed, fromMs)) {
        return [...found].sort(([, a], [, b]) => a - b).map(([id]) => id);
      }
    }
    throw httpFailure({ statusCode: 200, text: 'the list of snapshots has no end' });
  };

  return {
    startedSince,
    isOf: async (snapshotId, request, call) => {
      const rows = await read(`/datasets/v3/snapshot/${encodeURIComponent(snapshotId)}/input`, call, readCsv);
      const [row, ...others] = rows;
      return row !== undefined && others.length === 0 && isSame(row, orderOf(request, settings).input);
    },
  };
}

/** A list that begins with the newest snapshots need not be read to its end. */
function isPast(listed: Listed, fromMs: number): boolean {
  const [first, last] = [listed[0]?.created ?? 0, listed.at(-1)?.created ?? 0];
  return first > last && last < fromMs;
}

/** Columns that select data. A difference in one of them means another request; other columns are added by the API. */
const SELECTING_COLUMNS = ['url', 'start_date', 'end_date', 'num_of_posts', 'posts_to_not_include', 'post_type'];

function isSame(row: Readonly<Record<string, string>>, input: Readonly<Record<string, string>>): boolean {
  return SELECTING_COLUMNS.every((name) => (row[name] ?? '') === (input[name] ?? ''));
}
