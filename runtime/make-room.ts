/** Removes the oldest entries of a map until there are fewer than `most`, so that a new one can be added. */
export function makeRoom(map: Map<unknown, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size < most) return;
    map.delete(oldest);
  }
}
