import type { SourceRedirected } from '@passport-registry/verifier';
import { boundedFetch } from '@passport-registry/verifier/http';
import { expect, it } from 'vitest';

const URL_ASKED = 'https://registry.example/statements.json';

/** Asks a host that redirects. Returns the error. */
const redirected = (location: string | undefined) => {
  const headers = location === undefined ? {} : { location };
  const fetch = async () => new Response(null, { status: 302, headers });
  return boundedFetch(URL_ASKED, {}, { fetch, timeout: 1000, maxBytes: 10 }).then(
    () => undefined,
    (error: SourceRedirected) => error,
  );
};

it.each<[location: string | undefined, shown: string]>([
  ['/other', 'https://registry.example/other'],
  ['https://other.example/\u00e9', 'https://other.example/'],
  [undefined, 'an unknown URL'],
  ['http://[', 'an unknown URL'],
])('a redirect to %s is refused, and told as %s', async (location, shown) => {
  const error = await redirected(location);
  expect(error).toMatchObject({ code: 'ERR_SOURCE_REDIRECTED', status: 302, location });
  expect(error?.message).toContain(`a redirect to ${shown}`);
});
