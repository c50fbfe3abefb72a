/**
 * The value of the key, made and kept if there is none, as `Map.prototype.getOrInsertComputed` of
 * newer engines.
 */
export function getOrInsert<Key extends WeakKey | string | number, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}

/** Keys, numbered in the order of their first use. */
export class Numbers<Key extends WeakKey | string | number = string> extends Map<Key, number> {
  of(key: Key): number {
    return getOrInsert(this, key, () => this.size);
  }
}
