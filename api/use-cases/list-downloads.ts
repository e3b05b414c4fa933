import { LIST_MAX_ITEMS } from '../../contract/limits.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import { renderDownload } from '../../contract/render/downloads.ts';
import type { DownloadListQuery } from '../../contract/requests.ts';
import type { DownloadList } from '../../contract/results/downloads.ts';
import { formatMicroseconds } from '../../contract/times.ts';
import type { RecordFilter } from '../../store/records.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';

/**
 * GET /api/downloads: records that match all filters, newest first, a page at a time. A key gets those that it has asked
 * for, whoever started them; callers without a key get what neither a key nor a service of ours has started, and services
 * get all.
 */
export async function listDownloads(deps: ApiDeps, query: DownloadListQuery): Promise<Answer<DownloadList>> {
  const records = await listed(deps, {
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
  const last = records.length > query.limit ? shown.at(-1) : undefined;
  return {
    state: 'finished',
    body: {
      downloads: shown.map((record) => renderDownload(record, deps.rendering).data),
      next_cursor: last?.id ?? null,
    },
  };
}

async function listed(deps: ApiDeps, filter: RecordFilter): Promise<readonly DownloadRecord[]> {
  if (deps.caller.kind !== 'key') {
    return deps.records.list({ ...filter, isWithoutKey: deps.caller.kind === 'anonymous' });
  }
  const found: DownloadRecord[] = [];
  for (let { before } = filter; found.length < filter.limit;) {
    const ids = await deps.asked.list(deps.caller.key.id, { before, limit: LIST_MAX_ITEMS });
    found.push(...(await deps.records.list({ ...filter, before: undefined, ids, limit: filter.limit - found.length })));
    before = ids.at(-1);
    if (ids.length < LIST_MAX_ITEMS) break;
  }
  return found;
}

/** Records tell their time in microseconds, which a Date does not hold; only times written alike can be compared as text. */
function inMicroseconds(time: string | undefined): string | undefined {
  if (time === undefined) return undefined;
  const [fraction = ''] = /\.\d+/.exec(time) ?? [];
  const microseconds = Number(fraction.slice(1, 7).padEnd(6, '0'));
  return formatMicroseconds(Date.parse(time.replace(fraction, '')) * 1000 + microseconds);
}
