// What a verifier costs: requests, bytes, processor time and memory of each thing that it does, at several sizes of the
// registry. These figures are absolute, so they hold for one machine only, and no run compares them. The registry is
// served by another process; documents of the issuer of passports come from a function. Memory is what is still held
// after everything that is no longer needed has been collected.
// Usage: node bench/costs.mjs [issuers ...]

import { createIssuerLookup, createPassportVerifier, openRegistry } from '@passport-registry/verifier';
import { openClient } from './client-load.mjs';
import { record } from './compare.mjs';
import { issuers, signedList } from './corpus.mjs';
import { ACTION, AUDIENCE, ISSUER_RECORD, makeAgent, makeIssuer, PAYLOAD, POLICY } from './passports.mjs';
import { startTreeServer } from './synthetic-tree.mjs';

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 1_000, 10_000, 100_000];
const seconds = Math.floor(Date.now() / 1000);
const many = (count, make) => Promise.all(Array.from({ length: count }, (_one, at) => make(at)));
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** The memory that this process holds, in bytes, without garbage. */
async function heldMemory() {
  // A second time for what the first time has made free to collect, after a pause for what other threads free.
  globalThis.gc();
  await pause(100);
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Measures some work that is repeated, and records what one time of it costs.
 *
 * @param served - returns the requests and bytes since the last call
 */
async function cost({ name, size, times, served }, work) {
  const held = [];
  await served();
  const memory = await heldMemory();
  const before = process.cpuUsage();
  for (let time = 0; time < times; time++) held.push(await work(time));
  const { user, system } = process.cpuUsage(before);
  const { requests, bytes } = await served();
  const grown = (await heldMemory()) - memory;
  const figure = {
    name: `cost of ${name}, ${size.toLocaleString('en-US')} issuers`,
    cost: name,
    issuers: size,
    requests: requests / times,
    bytes: Math.round(bytes / times),
    microseconds: rounded((user + system) / times),
    memory: Math.max(0, Math.round(grown / times)),
  };
  console.log(
    `${figure.name}: ${figure.requests} requests, ${figure.bytes} bytes, ${figure.microseconds} µs, ${figure.memory} bytes held`,
  );
  record(figure);
  return held;
}

const rounded = (value) => Number(value.toPrecision(3));

for (const size of sizes) {
  await registryCosts(size);
  await passportCosts(size);
}

/** What it costs to have the list, to keep it, and to trust one issuer without it. */
async function registryCosts(size) {
  const server = await startTreeServer(size);
  const open = () => openClient(server);
  const ids = issuers(size).map(({ issuer_id }) => issuer_id);
  const lookUp = async (time) => {
    const lookup = createIssuerLookup({ sources: [server.base], rootKey: server.jwk, maxAge: 1e12 });
    const id = ids[(time * 7919) % size];
    if ((await lookup.resolve(id)) === undefined) throw new Error(`${id} was not found`);
    return lookup;
  };
  const measure = (name, times, work) => cost({ name, size, times, served: server.served }, work);
  // Compiles the code, and opens the connection.
  for (let time = 0; time < 50 && time < 200_000 / size; time++) {
    (await open()).close();
    (await lookUp(time)).close();
  }
  const few = size < 100_000 ? 20 : 3;
  // Each is closed at once, so that no load pays for the background work of the one before. A closed client has its list.
  await measure('a first load', few, async () => {
    const loaded = await open();
    loaded.close();
    return loaded;
  });
  const client = await open();
  await measure('the hashes of the list, in the background', 1, () => pause(size / 15));
  for (let time = 0; time < 50; time++) await client.refresh();
  await measure('a refresh, nothing changed', 50, async () => void (await client.refresh()));
  await measure('a refresh, one issuer changed', 3, async () => {
    await server.change(1);
    await client.refresh();
  });
  client.close();
  for (const lookup of await measure('a look-up without the list', 50, lookUp)) lookup.close();
  server.close();
}

/** What it costs to decide on issuers, passports and actions. */
async function passportCosts(size) {
  const { rootKey, files } = await signedList([...issuers(size - 1), ISSUER_RECORD]);
  const registry = await openRegistry(files, { rootKey: rootKey.jwk, maxAge: 1e12 });
  const issuer = await makeIssuer('Ed25519');
  const agent = await makeAgent(issuer, seconds);
  const token = await agent.token();
  let count = { requests: 0, bytes: 0 };
  const served = async () => {
    const before = count;
    count = { requests: 0, bytes: 0 };
    return before;
  };
  const fetch = async (url) => {
    const body = JSON.stringify(issuer.documents[url]);
    count.requests += 1;
    count.bytes += body.length;
    return new Response(body, { headers: { 'Content-Type': 'application/json' } });
  };
  const newVerifier = () =>
    createPassportVerifier({ registry, policy: POLICY, audience: AUDIENCE, statusMaxAge: 3600, fetch });
  const verifier = newVerifier();
  const others = await many(200, async () => (await makeAgent(issuer, seconds)).token());
  // Copied as they come from a request: the first use of a string of pieces would free memory.
  const proofs = JSON.parse(JSON.stringify(await many(4000, () => agent.proofFor(token))));
  const accepted = ({ accepted, allowed, reasons }) => {
    if (!(accepted ?? allowed)) throw new Error(reasons[0].code);
  };
  const decide = () => {
    for (let call = 0; call < 1000; call++) registry.decide(ISSUER_RECORD.issuer_id, POLICY);
  };
  const first = async () => {
    const one = newVerifier();
    accepted(await one.verifyPassport(token));
    return one;
  };
  const known = async () => accepted(await verifier.verifyPassport(token));
  const action = async (proof) =>
    accepted(await verifier.verifyAction({ token, action: ACTION, payload: PAYLOAD, proof }));
  for (let time = 0; time < 300; time++) await first();
  for (let time = 0; time < 2000; time++) await known();
  for (let time = 0; time < 2000; time++) await action(proofs[2000 + time]);
  for (let time = 0; time < 200; time++) decide();
  const measure = (name, times, work) => cost({ name, size, times, served }, work);
  await measure('1,000 decisions on an issuer', 200, decide);
  await measure('the first passport of an issuer', 200, first);
  await measure('a new passport of a known issuer', 200, async (time) =>
    accepted(await verifier.verifyPassport(others[time])),
  );
  await measure('a known passport', 2000, known);
  await measure('an action, with a known passport', 2000, (time) => action(proofs[time]));
}
