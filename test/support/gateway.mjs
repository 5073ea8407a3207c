// A gateway in a process of its own: it waits for the other one, then verifies the actions that it finds on stdin, and
// prints what came of each.

import { text } from 'node:stream/consumers';
import { createPassportVerifier } from '@passport-registry/passports';
import { redisReplayStore } from '@passport-registry/passports/redis';
import { connectTo } from '@passport-registry/verifier';
import { createClient } from 'redis';

const { port, record, address, url, requests, backwards } = JSON.parse(await text(process.stdin));
const client = createClient({ url: `redis://127.0.0.1:${port}` });
await client.connect();
const verifier = createPassportVerifier({
  registry: { updatedAt: '', sha256: '', decide: () => ({ accepted: true, reasons: [], issuer: record }) },
  policy: { tiers: ['certified'] },
  audience: 'https://mail.example',
  replayStore: redisReplayStore(client),
  fetch: connectTo({ [url]: address }),
});
await verifier.verifyPassport(requests[0].token);

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
/** Waits until both gateways are here. */
async function meet(place) {
  await client.incr(place);
  while (Number(await client.get(place)) < 2) await pause(1);
}

const codes = [];
await meet('begin');
for (const [index, request] of (backwards ? requests.reverse() : requests).entries()) {
  codes.push((await verifier.verifyAction(request)).reasons[0].code);
  // They begin at opposite ends, so by now each has been first for some, however late one of them is.
  if (index === 4) await meet('fifth');
}
process.stdout.write(JSON.stringify(backwards ? codes.reverse() : codes));
client.destroy();
