import { CancellationScope } from '@temporalio/workflow';
import type { UploadJob } from '../../contract/kinds/upload.ts';
import { fetchSteps, records } from '../activity-proxies.ts';
import { runJob } from '../lifecycle/run-job.ts';

/** A recording that a caller has sent, verified and converted like a download. */
export function upload(input: UploadJob) {
  const { recordId, mediaId, parameters } = input;
  return runJob(input, async () => {
    try {
      const { ingestUpload } = fetchSteps(`Verify the upload ${recordId}`);
      return await ingestUpload({ recordId, mediaId, ...parameters });
    } finally {
      await CancellationScope.nonCancellable(() => records.discardUpload(recordId));
    }
  });
}
