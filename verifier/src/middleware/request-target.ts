import { type Refusal, unreadable } from './refusal.js';

/**
 * Refuses a request target that frameworks read in different ways, so that a handler can't read another query than the
 * one that was verified. Origin form is an absolute path and a query, of visible ASCII characters, without a fragment
 * (RFC 9112, section 3.2.1; rule action-http).
 *
 * @param target - as sent
 */
export function refuseTarget(target: string): Refusal | undefined {
  if (!/^\/[\x21-\x7e]*$/.test(target)) return ambiguous('is not in origin form: write a path and a query');
  return refuseUrl(target);
}

/** Refuses a URL that a platform has made of the request target, in the same way. */
export function refuseUrl(url: string): Refusal | undefined {
  if (url.includes('#')) return ambiguous('contains a #, at which the query may begin or end: write %23');
  const [, query = ''] = /\?(.*)$/s.exec(url) ?? [];
  try {
    decodeURIComponent(query);
    return undefined;
  } catch {
    return ambiguous('has a query that is not UTF-8 in percent-encoding');
  }
}

function ambiguous(why: string): Refusal {
  return unreadable(400, 'payload-ambiguous', `the request target ${why}`);
}
