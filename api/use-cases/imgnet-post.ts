import { ApiError } from '../../contract/errors.ts';
import { postReferenceOf, type PostReference } from '../../contract/imgnet-urls.ts';
import type { ApiDeps } from '../deps.ts';

/** The post or reel that a request names. @throws ApiError `invalid_input` */
export function postOf(deps: ApiDeps, { url }: { readonly url: string }): PostReference {
  const post = postReferenceOf(url, deps.imgnet.hosts);
  if (post === undefined) throw new ApiError('invalid_input', `url: ${NO_POST}`, { details: [DETAIL] });
  return post;
}

const NO_POST = 'must be a post or reel of the photo platform: a URL with /p/CODE/ or /reel/CODE/';
const DETAIL = { path: 'url', message: NO_POST };
