import { useState } from 'preact/hooks';
import { read } from '../console-api.ts';
import type { Download } from '../types.ts';

/** @returns the link to a file, and a function that reads it anew, once: a page may be open for longer than a link is valid */
export function useFileLink(record: Download | undefined, index = 0) {
  const [renewed, setRenewed] = useState<Download>();
  const isRenewed = record !== undefined && renewed?.id === record.id;
  const renew = (): void => {
    if (record === undefined || isRenewed) return;
    setRenewed(record);
    // If this fails, the player itself shows that it cannot play.
    read<{ data: Download }>(`/downloads/${record.id}`).then(
      ({ data }) => setRenewed(data),
      () => undefined,
    );
  };
  return { link: (isRenewed ? renewed : record)?.file_urls?.[index], renew };
}
