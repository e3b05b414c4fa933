import { postUrlOf, profileUrlOf } from '../../contract/urls/imgnet-urls.ts';
import type { DatasetRequest } from './dataset-client.ts';
import type { SnapshotRequest } from './imgnet-source.ts';

type DatasetIds = Readonly<Record<'profiles' | 'posts' | 'reels', string>>;

export const BRIGHT_DATA_API_URL = 'https://api.brightdata.com';
export const BRIGHT_DATA_DATASETS: DatasetIds = {
  profiles: 'gd_l1vikfch901nx3by4',
  posts: 'gd_lk5ns7kz21pck8jpis',
  reels: 'gd_lyclm20il4r5helnj',
};

export interface TriggerSettings {
  readonly datasets: DatasetIds;
  /** Base address of the platform's pages, without a slash at the end. */
  readonly platformUrl: string;
}

interface Order {
  readonly datasetId: string;
  /** Each field is a column of the input that the API reports of a snapshot. */
  readonly input: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

export function orderOf(request: SnapshotRequest, { datasets, platformUrl }: TriggerSettings): Order {
  const single = (datasetId: string, url: string): Order => ({ datasetId, input: { url }, query: {} });
  switch (request.kind) {
    case 'profile':
      return single(datasets.profiles, profileUrlOf(request.account, platformUrl));
    case 'post':
      return single(datasets.posts, postUrlOf(request, platformUrl));
    case 'reel':
      return single(datasets.reels, postUrlOf(request, platformUrl));
    case 'posts': {
      // Without post_type, reels are collected and charged too.
      const input = { ...discoveryInput(request, platformUrl), post_type: 'Post' };
      return { datasetId: datasets.posts, input, query: DISCOVER };
    }
    case 'reels':
      // This dataset refuses a post_type.
      return { datasetId: datasets.reels, input: discoveryInput(request, platformUrl), query: DISCOVER };
  }
}

/** The request that starts a snapshot (https://docs.brightdata.com/api-reference/web-scraper-api). */
export function triggerRequest(request: SnapshotRequest, settings: TriggerSettings): DatasetRequest {
  const { datasetId, input, query } = orderOf(request, settings);
  const parameters = new URLSearchParams({ dataset_id: datasetId, include_errors: 'true', ...query });
  return { method: 'POST', path: `/datasets/v3/trigger?${parameters.toString()}`, json: [input] };
}

const DISCOVER = { type: 'discover_new', discover_by: 'url' };

function discoveryInput(
  { account, sinceDate }: { readonly account: string; readonly sinceDate?: string },
  platformUrl: string,
): Record<string, string> {
  const url = profileUrlOf(account, platformUrl);
  return sinceDate === undefined ? { url } : { url, start_date: monthDayYear(sinceDate) };
}

function monthDayYear(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return `${month}-${day}-${year}`;
}
