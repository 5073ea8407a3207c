import { type Refusal, unreadable } from './refusal.js';

/** The query of a request as a payload. */
export function queryPayload(query: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const [first = '', ...more] = query.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}

/** The answer to a request with a body and a query: the proof covers one payload, and the other would go unsigned. */
export function ambiguous(): Refusal {
  return unreadable(
    400,
    'payload-ambiguous',
    'a request has its payload in its body or in its query, and not in both',
  );
}
