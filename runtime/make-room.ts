/** Removes the oldest entries of a map until it has fewer than `limit`, so that one can be added. */
export function makeRoom(map: Map<unknown, unknown>, limit: number): void {
  for (const oldest of map.keys()) {
    if (map.size < limit) return;
    map.delete(oldest);
  }
}
