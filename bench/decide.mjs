// The throughput of a warm client: resolving an id, then deciding under a policy with five requirements. Compared with
// a look-up in a Map. The ids are other strings than those of the records, as if they came with a token.

import { openRegistry } from '@passport-registry/verifier';
import { compare } from './compare.mjs';
import { issuers, signedList } from './corpus.mjs';

const records = issuers(10_000);
const { rootKey, files } = await signedList(records);
const registry = await openRegistry(files, { rootKey: rootKey.jwk, maxAge: 1e12 });
const policy = {
  tiers: ['founding', 'certified'],
  domains: ['payments'],
  geography: ['NO'],
  passport_types: ['service-agent'],
  deny: [{ issuer_id: 'issuer-000007', reason: 'for the bench' }],
};
const ids = JSON.parse(JSON.stringify(records.map(({ issuer_id }) => issuer_id)));
const map = new Map(records.map((record) => [record.issuer_id, record]));
const ROUNDS = 100;
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

const { median } = await compare('resolve + decide, to a look-up in a Map', decisions, lookups, 7);
console.log(
  `resolve + decide: ${Math.round((ids.length * ROUNDS * 1000) / median).toLocaleString('en-US')} a second (${accepted > 0 ? 'checked' : 'wrong'})`,
);
