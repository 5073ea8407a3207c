import { formatSignature, parseHead } from '@passport-registry/verifier/core';
import { cosignatureBy, invalid, type NoteSigner } from './note-keys.js';
import { listen } from './serving.js';

/**
 * Starts a service that cosigns every head, as an honest witness does with heads that follow each other. Returns its URL.
 *
 * @param now - the time of the cosignature, in seconds since 1970. Undefined while the witness is away
 * @param seen - gets the text of every head that the service is asked to cosign, even while its answers are lost
 */
export function cosigningService(
  witness: NoteSigner,
  now: () => number | undefined,
  seen: string[] = [],
): Promise<string> {
  return listen(async (request, response) => {
    const time = now();
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method !== 'POST') return response.writeHead(404).end();
    const { text } = parseHead(body.slice(body.indexOf('\n\n') + 2), invalid).note;
    seen.push(text);
    if (time === undefined) return response.writeHead(404).end();
    return response.end(formatSignature(cosignatureBy(witness, text, time)));
  });
}
