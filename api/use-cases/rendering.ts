import { renderDownload } from '../../contract/render.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import type { DownloadResult, Progress } from '../../contract/results.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';

/** The answer for a download in any state, by the function that also builds its webhook. */
export function answerDownload(deps: ApiDeps, record: DownloadRecord, progress?: Progress): Answer<DownloadResult> {
  const context = {
    prices: deps.prices,
    linkTo: (recordId: string, fileName: string) => deps.signer.linkTo(recordId, fileName),
  };
  return {
    state: record.status === 'pending' ? 'pending' : 'finished',
    body: renderDownload(record, context, progress),
  };
}
