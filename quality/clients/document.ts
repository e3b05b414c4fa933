import { openApiDocument } from '../../api/openapi/openapi-document.ts';
import { DEFAULT_WAIT_SECONDS } from '../../contract/request-limits.ts';

/** The OpenAPI document of a service with default settings, from which the clients are generated. */
export function clientDocument(): ReturnType<typeof openApiDocument> {
  return openApiDocument('http://127.0.0.1:3000', {
    allowsAnonymous: true,
    defaultWaitSeconds: DEFAULT_WAIT_SECONDS,
  });
}
