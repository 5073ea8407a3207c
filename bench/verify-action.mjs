// The throughput of a warm verifyAction: two signatures, and all other checks of a passport and an action. Compared
// with two bare WebCrypto verifications of the same signatures and bytes, both sequentially and concurrently. A verifier
// verifies the signature of a token that it knows only once, so both kinds of requests are measured.

import { createPassportVerifier, memoryReplayStore, openRegistry } from '@passport-registry/verifier';
import { base64url } from 'jose';
import { compare } from './compare.mjs';
import { signedList } from './corpus.mjs';
import {
  ACTION,
  AUDIENCE,
  ISSUER_RECORD,
  KINDS,
  makeAgent,
  makeIssuer,
  PAYLOAD,
  POLICY,
} from './passports.mjs';

const { rootKey, files } = await signedList([ISSUER_RECORD]);
const registry = await openRegistry(files, { rootKey: rootKey.jwk, maxAge: 1e12 });
const seconds = Math.floor(Date.now() / 1000);
/** A stopped clock for verifier and agent, so that one proof stays valid for the whole run. */
const now = () => seconds * 1000;
const memory = memoryReplayStore();
let uses = 0;
/** Per measurement. Garbage is not collected between calls, because that would also discard compiled code. */
const CALLS = 2000;

for (const [kind, { verify }] of Object.entries(KINDS)) {
  const issuer = await makeIssuer(kind);
  const agent = await makeAgent(issuer, seconds);
  const verifier = createPassportVerifier({
    registry,
    policy: POLICY,
    audience: AUDIENCE,
    statusMaxAge: 3600,
    // The same proof is used for every call, so the key of each call is made unique before the real store sees it.
    replayStore: { claim: (key, lifetime) => memory.claim(`${key}${uses++}`, lifetime) },
    now,
    fetch: async (url) => Response.json(issuer.documents[url]),
  });
  const requestWith = async (changed) => {
    const token = await agent.token(changed);
    const proof = await agent.proofFor(token, { now });
    const signatures = [
      [issuer.keys.publicKey, token],
      [agent.keys.publicKey, proof],
    ].map(([key, jws]) => {
      const at = jws.lastIndexOf('.');
      return [key, base64url.decode(jws.slice(at + 1)), new TextEncoder().encode(jws.slice(0, at))];
    });
    return { request: { token, action: ACTION, payload: PAYLOAD, proof }, signatures };
  };
  const TOKENS = {
    'the same token': [await requestWith({})],
    // More than the verifier remembers, so each is new to it when its turn comes again.
    'a new token each time': await Promise.all(
      Array.from({ length: 4000 }, (_one, at) => requestWith({ exp: seconds + 3600 + at })),
    ),
  };
  const sequentially = (work) => async () => {
    for (let call = 0; call < CALLS; call++) await work();
  };
  const concurrently = (work) => async () => {
    for (let batch = 0; batch < CALLS / 100; batch++) await Promise.all(Array.from({ length: 100 }, work));
  };
  for (const [which, requests] of Object.entries(TOKENS)) {
    const nextOf = () => {
      let turn = 0;
      return () => requests[turn++ % requests.length];
    };
    const [nextFull, nextBare] = [nextOf(), nextOf()];
    const full = async () => {
      const { allowed, reasons } = await verifier.verifyAction(nextFull().request);
      if (!allowed) throw new Error(reasons[0].code);
    };
    const bare = async () => {
      for (const [key, signature, bytes] of nextBare().signatures) {
        if (!(await crypto.subtle.verify(verify, key, signature, bytes)))
          throw new Error('invalid signature');
      }
    };
    // Warms up the just-in-time compiler.
    for (let call = 0; call < 5000; call++) await full();
    for (const [manner, many] of [
      ['one after the other', sequentially],
      ['100 at once', concurrently],
    ]) {
      const name = `throughput of verifyAction to that of two bare verifications, ${kind}, ${which}, ${manner}`;
      // The ratio of throughputs is the inverse of the ratio of times, so the bare verifications come first.
      await compare(name, many(bare), many(full), 11);
    }
  }
}
