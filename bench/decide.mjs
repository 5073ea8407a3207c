// What a client costs that has a list: resolving an id and deciding under a policy with five requirements, compared with a
// look-up in a Map, and the memory that it holds. And the requests of a client and of a look-up without the list. The ids are
// other strings than those of the records, as if they came with a token.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIssuerLookup, createRegistryClient, openRegistry } from '@passport-registry/verifier';
import { compare, count, isQuick, node, report } from './compare.mjs';
import { BUILD, issuers, makeWorkspace, signedList } from './corpus.mjs';

const ROUNDS = isQuick ? 1 : 100;
const records = issuers(isQuick ? 100 : 10_000);
const { rootKey, files } = await signedList(records);

const heapWithout = heap();
const registry = await openRegistry(files, { rootKey: rootKey.jwk, maxAge: 1e12 });
const held = (heap() - heapWithout) / records.length;
report(`bytes of memory of a client for each issuer, ${count(records.length)} issuers`, [held]);

function heap() {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const policy = {
  tiers: ['founding', 'certified'],
  domains: ['payments'],
  geography: ['NO'],
  passport_types: ['service-agent'],
  deny: [{ issuer_id: 'issuer-000007', reason: 'for the bench' }],
};
const ids = JSON.parse(JSON.stringify(records.map(({ issuer_id }) => issuer_id)));
const map = new Map(records.map((record) => [record.issuer_id, record]));
let accepted = 0;
const decisions = () => {
  for (let round = 0; round < ROUNDS; round++) {
    for (const id of ids)
      if (registry.resolve(id) !== undefined && registry.decide(id, policy).accepted) accepted++;
  }
};
const lookups = () => {
  for (let round = 0; round < ROUNDS; round++)
    for (const id of ids) if (map.get(id) !== undefined) accepted++;
};
await compare('resolve + decide, to a look-up in a Map', decisions, lookups, 7);
if (accepted === 0) throw new Error('nothing was accepted');

// The number of requests of a cold look-up depends on the size, so it is the same in each run.
const folder = makeWorkspace(records.slice(0, 1_000));
node(folder, ...BUILD);
let requests = [];
const fetch = async (url) => {
  const path = new URL(url).pathname;
  requests.push(path);
  try {
    return new Response(readFileSync(join(folder, 'dist', path)));
  } catch {
    return new Response(null, { status: 404 });
  }
};
const pinned = JSON.parse(readFileSync(join(folder, 'dist/keys/root.json'), 'utf8'));
const options = { sources: ['https://registry.alt'], rootKey: pinned, fetch };
const countRequests = async (what, work) => {
  requests = [];
  await work();
  report(`requests of ${what}`, [requests.length]);
};
const client = createRegistryClient(options);
await countRequests('a first load', () => client.ready());
await countRequests('a refresh, nothing changed', () => client.refresh());
client.close();
const lookup = createIssuerLookup(options);
const size = count(Math.min(records.length, 1_000));
await countRequests(`a look-up without the list, ${size} issuers`, () => lookup.resolve(ids[1]));
lookup.close();
