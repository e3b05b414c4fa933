import { ApiError } from '../../contract/errors.ts';
import type { ApiDeps } from '../deps.ts';

/**
 * Refuses what needs the photo platform where that was not set up: no job is started that can't succeed.
 *
 * @throws ApiError `unavailable`
 */
export function requireImgnet(deps: ApiDeps): void {
  if (deps.imgnet.isConfigured) return;
  throw new ApiError('unavailable', 'The photo platform is not set up here: the operator must set IMGNET_API_TOKEN.');
}
