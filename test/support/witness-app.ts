import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type NoteKey, parseNoteKey } from '@passport-registry/verifier/core';
import type { Signer } from '../../build/generator/signing/sign.js';
import { witnessApp } from '../../build/observers/witnessing/app.js';
import { namedLogs } from '../../build/observers/witnessing/known-logs.js';
import { createState, openState, witnessVkey } from '../../build/observers/witnessing/witness-state.js';
import { invalid } from './note-keys.js';
import { newSigner } from './witness-service.js';

/** A key of a witness that signs. */
export interface WitnessKey {
  /** The verifier key, as text. */
  readonly vkey: string;
  readonly key: NoteKey;
  readonly signer: Signer;
}

/** Creates a key of a witness. */
export async function newWitnessKey(name = 'witness.example'): Promise<WitnessKey> {
  const signer = await newSigner();
  const vkey = witnessVkey(name, signer.rootKey);
  return { signer, vkey, key: parseNoteKey(vkey, 'witness', invalid) };
}

/**
 * Answers requests as the service of an honest witness, in the process of the test.
 *
 * @param folder - the state of the witness, which is created if it does not exist
 * @param logs - the verifier keys of the logs that it knows
 */
export function honestWitness(
  { vkey, signer }: WitnessKey,
  folder: string,
  logs: readonly string[],
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  if (!existsSync(folder)) createState(folder, vkey);
  const cosigner = { state: openState(folder), signer };
  const app = witnessApp({ cosigner, logs: namedLogs(logs), report: () => undefined });
  return async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const body = method === 'POST' ? await text(request) : null;
    const found = await app.fetch(new Request(`http://w${url}`, { method, body }));
    response.writeHead(found.status, Object.fromEntries(found.headers)).end(await found.text());
  };
}
