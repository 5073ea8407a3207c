// The throughput of a warm verifyAction, 100 at once: two signatures, and all other checks of a passport and an action.
// Compared with two bare WebCrypto verifications of the same signatures and bytes. A verifier verifies the signature of a
// token that it knows only once, so a repeated token and new tokens are measured.

import { createPassportVerifier, memoryReplayStore } from '@passport-registry/passports';
import { openRegistry } from '@passport-registry/verifier';
import { base64url } from 'jose';
import { compare, isQuick, NOW } from './compare.mjs';
import { signedList } from './corpus.mjs';
import { ACTION, AUDIENCE, KINDS, makePassports, PAYLOAD, POLICY, RECORD } from './passports.mjs';

const BATCHES = isQuick ? 1 : 20;
/** More than the verifier remembers, so each is new to the verifier when its turn comes again. */
const TOKENS = isQuick ? 100 : 4000;
const { rootKey, files } = await signedList([RECORD]);
const registry = await openRegistry(files, { rootKey: rootKey.jwk, maxAge: 1e12 });
/** A stopped clock for verifier and agent, so that one proof stays valid for the whole run. */
const now = () => NOW * 1000;
const memory = memoryReplayStore();
let uses = 0;

for (const [kind, { verify }] of Object.entries(KINDS)) {
  const { publicKeys, documents, token, proof } = await makePassports(kind);
  const verifier = createPassportVerifier({
    registry,
    policy: POLICY,
    audience: AUDIENCE,
    statusMaxAge: 3600,
    // The same proof is used for every call, so the key of each call is made unique before the real store sees it.
    replayStore: { claim: (key, lifetime) => memory.claim(`${key}${uses++}`, lifetime) },
    now,
    fetch: async (url) => Response.json(documents[url]),
  });
  const makeRequest = async (changed) => {
    const signed = await token(changed);
    const itsProof = await proof(signed, { now });
    const signatures = [signed, itsProof].map((jws, at) => {
      const dot = jws.lastIndexOf('.');
      return [
        publicKeys[at],
        base64url.decode(jws.slice(dot + 1)),
        new TextEncoder().encode(jws.slice(0, dot)),
      ];
    });
    return { request: { token: signed, action: ACTION, payload: PAYLOAD, proof: itsProof }, signatures };
  };
  const newTokens = Array.from({ length: TOKENS }, (_one, at) => makeRequest({ exp: NOW + 3600 + at }));
  for (const [which, requests] of [
    ['the same token', [await makeRequest()]],
    ['a new token each time', await Promise.all(newTokens)],
  ]) {
    const full = inBatches(requests, async ({ request }) => {
      const { allowed, reasons } = await verifier.verifyAction(request);
      if (!allowed) throw new Error(reasons[0].code);
    });
    const bare = inBatches(requests, async ({ signatures }) => {
      for (const [key, signature, bytes] of signatures) {
        if (!(await crypto.subtle.verify(verify, key, signature, bytes))) throw new Error('not signed');
      }
    });
    // Warms up the just-in-time compiler.
    for (let round = 0; round < (isQuick ? 0 : 3); round++) await full();
    const name = `throughput of verifyAction to that of two bare verifications, ${kind}, ${which}`;
    // The ratio of throughputs is the inverse of the ratio of times, so the bare verifications come first.
    await compare(name, bare, full, 11);
  }
}

/** Returns a function that works on the next requests, in batches of 100 at once. */
function inBatches(requests, work) {
  let turn = 0;
  const next = () => work(requests[turn++ % requests.length]);
  return async () => {
    for (let batch = 0; batch < BATCHES; batch++) await Promise.all(Array.from({ length: 100 }, next));
  };
}
