/**
 * Freezes a plain JSON value and all values in it. The loop avoids recursion, because an attacker may choose the depth.
 */
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
