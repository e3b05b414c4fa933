import { createHash } from 'node:crypto';
import { channelPathOf, type ChannelReference } from '../../contract/urls/channel-urls.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';

/** Temporal on MySQL or PostgreSQL keeps workflow IDs in columns of 255 characters. */
const WORKFLOW_ID_MAX_BYTES = 255;
/** Stands before the hash of an ID that was too long. No name of a channel has it. */
const HASHED = '~';

/**
 * The subject of a channel by one of its names, which may be 100 letters of any script.
 *
 * @returns at most 255 bytes: of what is longer the end is a hash of the whole
 */
export function channelSubjectOf(channel: ChannelReference): string {
  const id = subjectIdOf('list', channelPathOf(channel));
  if (Buffer.byteLength(id) <= WORKFLOW_ID_MAX_BYTES) return id;
  const hash = HASHED + createHash('sha256').update(id).digest('hex');
  let head = '';
  for (const letter of id) {
    if (Buffer.byteLength(head + letter + hash) > WORKFLOW_ID_MAX_BYTES) break;
    head += letter;
  }
  return head + hash;
}
