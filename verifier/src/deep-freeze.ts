/** Makes a value of plain JSON unchangeable, all the way down. Without recursion: its depth may be a stranger's choice. */
export function deepFreeze<T>(value: T): T {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    Object.freeze(next);
    for (const member of Object.values(next)) waiting.push(member);
  }
  return value;
}
