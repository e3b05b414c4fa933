/**
 * Combines the calls for a key that arrive while another one runs into one call. It begins after all of them have arrived, so
 * none gets a value that is older than its call.
 */
export function coalesce<Value>(read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const running = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<Value>>();
  const begin = (key: string): Promise<Value> => {
    next.delete(key);
    const value = read(key);
    const settled = value
      .catch(() => undefined)
      .finally(() => {
        if (running.get(key) === settled) running.delete(key);
      });
    running.set(key, settled);
    return value;
  };
  return (key) => {
    const current = running.get(key);
    if (current === undefined) return begin(key);
    const joined = next.get(key) ?? current.then(() => begin(key));
    next.set(key, joined);
    return joined;
  };
}
