import { formatSignature, parseHead } from '@passport-registry/verifier/core';
import { cosignatureBy, invalid, type NoteSigner } from './note-keys.js';
import { listen } from './serving.js';

/**
 * Starts a service that cosigns every head, as an honest witness does with heads that follow each other. Returns its URL.
 *
 * @param now - the time of the cosignature, in seconds since 1970. Undefined while the witness is away
 */
export function cosigningService(witness: NoteSigner, now: () => number | undefined): Promise<string> {
  return listen(async (request, response) => {
    const time = now();
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method !== 'POST' || time === undefined) return response.writeHead(404).end();
    const { text } = parseHead(body.slice(body.indexOf('\n\n') + 2), invalid).note;
    return response.end(formatSignature(cosignatureBy(witness, text, time)));
  });
}
