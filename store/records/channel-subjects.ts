import { createHash } from 'node:crypto';
import { channelPathOf, type ChannelReference } from '../../contract/urls/channel-urls.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';

/** Temporal on MySQL or PostgreSQL keeps Workflow IDs in columns of 255 characters. */
const WORKFLOW_ID_MAX_BYTES = 255;
/** Precedes the hash in an ID that was shortened. Channel names never contain it. */
const HASH_MARK = '~';

/** At most 255 bytes: the end of a longer ID is replaced with a hash of the whole. */
export function channelSubjectOf(channel: ChannelReference): string {
  const id = subjectIdOf('list', channelPathOf(channel));
  if (Buffer.byteLength(id) <= WORKFLOW_ID_MAX_BYTES) return id;
  const hash = HASH_MARK + createHash('sha256').update(id).digest('hex');
  // `encodeInto` encodes only whole characters, and reports their number.
  const { read } = new TextEncoder().encodeInto(id, new Uint8Array(WORKFLOW_ID_MAX_BYTES - hash.length));
  return id.slice(0, read) + hash;
}
