/**
 * The value of the key, made and kept if there is none: `Map.prototype.getOrInsertComputed`, which
 * Node 20 lacks.
 */
export function getOrInsert<Key extends WeakKey | string | number, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const made = make();
  map.set(key, made);
  return made;
}
