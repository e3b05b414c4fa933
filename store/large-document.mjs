// Runs in a thread (runtime/subprocess/thread.ts): takes apart what an earlier version packed into one document.
import { gunzipSync } from 'node:zlib';

const PAGE_CHARS = 128 * 1024;
const PAGE_ITEMS = 500;
/** Longest text of an item that is no line of captions: those are parted later. No platform has longer ones. */
const TEXT_MAX_CHARS = 64 * 1024;

/**
 * Yields what is no long part, with the names of those, then their items page by page. A list is one long part, `items`.
 *
 * @param {{ packed: Uint8Array, longParts: string[], maxBytes: number }} input
 */
export default function* takeApart({ packed, longParts, maxBytes }) {
  const whole = JSON.parse(gunzipSync(packed, { maxOutputLength: maxBytes }).toString('utf8'));
  const parts = Array.isArray(whole) ? { items: whole } : whole;
  const long = Array.isArray(whole) ? ['items'] : longParts.filter((name) => Array.isArray(parts[name]));
  yield { rest: Object.fromEntries(Object.entries(parts).filter(([name]) => !long.includes(name))), long };
  for (const name of long) {
    let page = [];
    let chars = 0;
    for (const told of parts[name]) {
      const item = name === 'lines' ? told : clipped(told);
      page.push(item);
      chars += sizeOf(item);
      if (chars < PAGE_CHARS && page.length < PAGE_ITEMS) continue;
      yield { name, page };
      [page, chars] = [[], 0];
    }
    if (page.length > 0) yield { name, page };
  }
}

/** About as long as its JSON, which would be a copy of a text of megabytes. */
function sizeOf(item) {
  return Object.entries(item).reduce((sum, [key, value]) => {
    const size = typeof value === 'string' ? value.length : Array.isArray(value) ? 10 * value.length : 10;
    return sum + key.length + size;
  }, 10);
}

function clipped(item) {
  const entries = Object.entries(item);
  if (!entries.some(([, value]) => typeof value === 'string' && value.length > TEXT_MAX_CHARS)) return item;
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' ? value.slice(0, TEXT_MAX_CHARS) : value]),
  );
}
