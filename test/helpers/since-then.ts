/**
 * What answers have now that they did not have in version 4da8403, by the kind of the object that has it, with what is
 * there in answers from older data. Nothing else may differ.
 */
const NO_SPEAKERS = { transcript_speaker_id: null, transcript_speaker_cost: null };
const FACTS = { duration: null, ...NO_SPEAKERS, audio_url: null, file_urls: null };
/** The link that stood in `audio_url` alone. */
const AUDIO_LINKS = Symbol('links of an audio');
const ADDED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'record audio': { duration: null, transcript_speaker_cost: null, file_urls: AUDIO_LINKS },
  'record vidnet_video': { duration: null, ...NO_SPEAKERS, audio_url: null },
  'record imgnet_audio': { duration: null, transcript_speaker_cost: null },
  'record captions': FACTS,
  'record list': FACTS,
  'record imgnet_profile': FACTS,
  'record imgnet_post': FACTS,
  'record imgnet_list_posts': FACTS,
  'record imgnet_list_reels': FACTS,
  'record speaker_labels': FACTS,
  imgnet_profile: { category_name: null, business_address: null, email: null, external_url: null },
  // In lists and alone.
  post: {
    ...{ caption: null, likes: null, date_posted: null, datetime: null, location: null, audio: [] },
    ...{ tagged_users: [], coauthor_producers: [], partnership_details: [] },
  },
  reel: { tagged_users: [], coauthor_producers: [] },
  /** An entry of the field of that name. */
  audio: { ig_artist_id: null, ig_artist_username: null },
};

type Fields = Readonly<Record<string, unknown>>;

/**
 * The text of an answer without what was added to it.
 *
 * @param then the text of the older answer, which tells what it had
 * @param key where the value stands; `record` for a record that stands alone
 */
export function asThen(now: string, then: string, key?: string): string {
  const [present, former] = [parsed(now), parsed(then)];
  // Not a letter beside the fields may differ, so what would not be written in the same way is left as it is.
  if (present === undefined || JSON.stringify(present) !== now) return now;
  return JSON.stringify(withoutAdded(present, former, key));
}

function withoutAdded(now: unknown, then: unknown, key: string | undefined): unknown {
  if (Array.isArray(now) && Array.isArray(then)) {
    return now.map((item: unknown, index) => withoutAdded(item, then[index], key));
  }
  if (!isObject(now) || !isObject(then)) return now;
  const added = ADDED[kindOf(now, key)] ?? {};
  const kept = Object.entries(now).flatMap(([name, value]) => {
    if (!(name in then) && name in added && isExpected(value, added[name], now)) return [];
    // Times of comments were told to the millisecond.
    const former = then[name];
    const isTime = key === 'latest_comments' && name === 'created_at' && typeof former === 'string';
    if (isTime && value === former.replace(/(\.\d{3})Z$/, '$1000Z')) return [[name, former]];
    return [[name, withoutAdded(value, former, name)]];
  });
  return Object.fromEntries(kept) as unknown;
}

function kindOf({ type, download }: Fields, key: string | undefined): string {
  if (key === 'data' || key === 'record') return `record ${String(type)}`;
  if (key !== undefined) return key === 'posts' || key === 'reels' ? String(type) : key;
  if (typeof type === 'string') return type;
  return isObject(download) ? String(download['type']) : '';
}

function isExpected(value: unknown, expected: unknown, { audio_url: link }: Fields): boolean {
  const wanted = expected === AUDIO_LINKS ? (link === null ? null : [link]) : expected;
  return JSON.stringify(value) === JSON.stringify(wanted);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
