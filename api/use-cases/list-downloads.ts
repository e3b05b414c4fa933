import { LIST_MAX_ITEMS } from '../../contract/limits.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import { renderDownload, type DownloadList } from '../../contract/kinds.ts';
import type { DownloadListQuery } from '../../contract/downloads.ts';
import { formatMicroseconds } from '../../contract/times.ts';
import type { RecordFilter } from '../../store/records.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';

/** How many times a page of {@link LIST_MAX_ITEMS} downloads of a key is looked through for those that match. */
const MAX_LOOKS = 5;

/**
 * GET /api/downloads: records that match all filters, newest first, a page at a time. A key gets those that it has asked
 * for, whoever started them; where few of them match, a page may be short of its limit and yet not the last. Callers
 * without a key get what neither a key nor a service of ours has started, and services get all.
 */
export async function listDownloads(deps: ApiDeps, query: DownloadListQuery): Promise<Answer<DownloadList>> {
  const { records, stoppedAt } = await listed(deps, {
    type: query.type,
    status: query.status,
    mediaId: query.media_id,
    createdAfter: inMicroseconds(query.created_after),
    createdBefore: inMicroseconds(query.created_before),
    before: query.cursor,
    // One more than shown tells whether a page follows.
    limit: query.limit + 1,
  });
  const shown = records.slice(0, query.limit);
  const next = records.length > query.limit ? shown.at(-1)?.id : stoppedAt;
  return {
    state: 'finished',
    body: {
      downloads: shown.map((record) => renderDownload(record, deps.rendering).data),
      next_cursor: next ?? null,
    },
  };
}

interface Listed {
  readonly records: readonly DownloadRecord[];
  /** The last id that was looked at, where older ones were left for another request. */
  readonly stoppedAt?: string | undefined;
}

async function listed(deps: ApiDeps, filter: RecordFilter): Promise<Listed> {
  if (deps.caller.kind !== 'key') {
    return { records: await deps.records.list({ ...filter, isWithoutKey: deps.caller.kind === 'anonymous' }) };
  }
  const records: DownloadRecord[] = [];
  let { before } = filter;
  for (let looks = 0; looks < MAX_LOOKS && records.length < filter.limit; looks += 1) {
    const ids = await deps.asked.list(deps.caller.key.id, { before, limit: LIST_MAX_ITEMS });
    const limit = filter.limit - records.length;
    records.push(...(await deps.records.list({ ...filter, before: undefined, ids, limit })));
    before = ids.at(-1);
    if (ids.length < LIST_MAX_ITEMS) return { records };
  }
  return { records, stoppedAt: before };
}

/** Records tell their time in microseconds, which a Date does not hold; only times written alike can be compared as text. */
function inMicroseconds(time: string | undefined): string | undefined {
  if (time === undefined) return undefined;
  const [fraction = ''] = /\.\d+/.exec(time) ?? [];
  const microseconds = Number(fraction.slice(1, 7).padEnd(6, '0'));
  return formatMicroseconds(Date.parse(time.replace(fraction, '')) * 1000 + microseconds);
}
