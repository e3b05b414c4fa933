import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';
import parseRange from 'range-parser';
import type { ByteRange } from '../../store/files/file-store.ts';

interface Version {
  readonly sizeBytes: number;
  /** An entity tag with its quotes. */
  readonly etag: string;
  readonly lastModified: string;
}

export type FileAnswer =
  { readonly status: 200 | 304 | 412 | 416 } | { readonly status: 206; readonly range: ByteRange };

/** Evaluates preconditions, then the range (RFC 9110, section 13.2.2). A request for several ranges gets the whole file. */
export function answerFor(headers: IncomingHttpHeaders, version: Version): FileAnswer {
  if (failsPrecondition(headers, version)) return { status: 412 };
  // Without these headers `fresh` is never true.
  if (fresh(headers, { etag: version.etag, 'last-modified': version.lastModified })) return { status: 304 };

  const { range } = headers;
  if (range === undefined || !/^ *bytes=/.test(range) || !isSameFile(headers['if-range']?.toString(), version)) {
    return { status: 200 };
  }
  // Section 14.1.2: a suffix longer than the file means the whole file.
  const suffix = /^bytes=-(\d+)$/.exec(range)?.[1];
  const isWhole = suffix !== undefined && Number(suffix) >= version.sizeBytes && version.sizeBytes > 0;
  const ranges = parseRange(version.sizeBytes, isWhole ? 'bytes=0-' : range, { combine: true });
  if (ranges === -1) return { status: 416 };
  const [only, ...others] = ranges === -2 ? [] : ranges;
  if (only === undefined || others.length > 0) return { status: 200 };
  return { status: 206, range: { first: only.start, last: only.end } };
}

function failsPrecondition(headers: IncomingHttpHeaders, { etag, lastModified }: Version): boolean {
  const match = headers['if-match'];
  if (match !== undefined && match !== '*' && !tagsOf(match).includes(etag)) return true;
  const unmodifiedSince = Date.parse(headers['if-unmodified-since'] ?? '');
  return !Number.isNaN(unmodifiedSince) && Date.parse(lastModified) > unmodifiedSince;
}

/** `If-Range`: a range is useful only together with other ranges of the same file (section 13.1.5). */
function isSameFile(condition: string | undefined, { etag, lastModified }: Version): boolean {
  if (condition === undefined) return true;
  // A weak tag never matches here.
  if (condition.includes('"')) return condition === etag;
  return Date.parse(lastModified) <= Date.parse(condition);
}

function tagsOf(list: string): readonly string[] {
  return list.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}
