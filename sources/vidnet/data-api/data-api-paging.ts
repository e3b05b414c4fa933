import { JobError } from '../../../runtime/job-error.ts';
import type { Listed } from './data-api-schemas.ts';

/**
 * The pages of a list, each requested when the consumer needs it.
 *
 * @param from token of the first page; undefined for the beginning
 */
export async function* pagesFrom<Item>(
  from: string | undefined,
  fetchPage: (pageToken: string | undefined) => Promise<Listed<Item>>,
): AsyncGenerator<Listed<Item>> {
  let token = from;
  do {
    const page = await fetchPage(token);
    // It would be read again and again, each time at the cost of quota.
    if (page.nextPageToken !== undefined && page.nextPageToken === token) {
      throw new JobError('dataApiEndless');
    }
    yield page;
    token = page.nextPageToken;
  } while (token !== undefined);
}
