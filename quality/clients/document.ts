import { openApiDocument } from '../../api/openapi/openapi-document.ts';
import { DEFAULT_WAIT_SECONDS } from '../../contract/request-limits.ts';

/** What clients are made from: the OpenAPI document as a service answers it that is set up by default. */
export function clientDocument(): ReturnType<typeof openApiDocument> {
  return openApiDocument('http://127.0.0.1:3000', {
    allowsAnonymous: true,
    defaultWaitSeconds: DEFAULT_WAIT_SECONDS,
  });
}
