import type { JobResult } from '../contract/download-record.ts';
import type { JobInput } from '../contract/job-input.ts';
import type { MediaInfoPage } from '../contract/kinds/media-info.ts';
import type { MediaInfoSource } from '../sources/vidnet/yt-dlp/yt-dlp-info.ts';
import type { ContentsStore } from '../store/records/contents-store.ts';
import { titled } from './record-title.ts';
import { withSourceCall, type SourceCallDeps } from './source-call.ts';

export interface MediaInfoDeps extends SourceCallDeps {
  readonly mediaInfos: MediaInfoSource;
  readonly contents: ContentsStore;
}

type MediaInfoOrder = Pick<JobInput, 'recordId' | 'mediaId'> & { readonly page: MediaInfoPage };

export const createMediaInfoActivity = (deps: MediaInfoDeps) => ({
  readMediaInfo: ({ recordId, page }: MediaInfoOrder): Promise<JobResult> =>
    withSourceCall(deps, recordId, async (call) => {
      call.report({ stage: 'fetching' });
      const facts = await deps.mediaInfos.read(page, call);
      await deps.contents.putFacts(recordId, facts);
      return titled(facts.title);
    }),
});
