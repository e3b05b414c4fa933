import { z } from 'zod';
import { parseJson } from '../runtime/parse-json.ts';
import { fetchText, type FetchOptions } from './fetch-url.ts';

/** PEP 691. Without this type, an index answers HTML. */
const INDEX_TYPE = 'application/vnd.pypi.simple.v1+json';

const projectSchema = z.object({
  files: z.array(
    z.object({
      filename: z.string(),
      url: z.string(),
      hashes: z.record(z.string(), z.string()),
      yanked: z.union([z.boolean(), z.string()]).default(false),
    }),
  ),
});

/** Lists the files of a package, except those that were withdrawn and those without a checksum. */
export async function listPackageFiles(indexUrl: string, name: string, options: FetchOptions) {
  const url = `${indexUrl.replace(/(?<!\/)\/+$/, '')}/${name}/`;
  const text = await fetchText(url, { ...options, accept: INDEX_TYPE });
  const { success, data, error } = projectSchema.safeParse(parseJson(text));
  if (!success) throw new Error(`${url} did not return a list of files in JSON (PEP 691)`, { cause: error });
  return data.files.flatMap(({ filename, url: reference, hashes, yanked }) => {
    const sha256 = hashes['sha256']?.toLowerCase() ?? '';
    if (yanked !== false || !/^[\da-f]{64}$/.test(sha256) || !URL.canParse(reference, url)) return [];
    return [{ filename, url: new URL(reference, url).href, sha256 }];
  });
}
