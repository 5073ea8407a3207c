// Gateways with our middleware, compared with the same gateways with the same checks by hand with `jose`, which are in
// gateway-by-hand.mjs: requests in a second, processor time, and the time within which 99 of 100 have their answer.
// `autocannon` sends the requests over sockets, from another process than that of the gateway. Each request has a new proof.
// Either an agent sends the same passport each time, as agents do, and our verifier verifies the passport's signature once.
// Or the passport is renewed for each request, with the same key of the agent, which the checks by hand still know.
// Usage: node bench/gateways.mjs [hono|fetch|express|fastify ...]

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { comparePairs, compareWaits } from './compare.mjs';
import { makeAgents, makeIssuer, PAYLOAD } from './passports.mjs';
import { sendRequests } from './send-requests.mjs';

const NAMES = { hono: 'Hono', fetch: 'fetch', express: 'Express', fastify: 'Fastify' };
const AGENTS = 20;
const REQUESTS = 1500;
const WARM_UP = 2;
const PAIRS = 5;
const BODY = JSON.stringify(PAYLOAD);
const LOADS = [
  { connections: 10, isNew: false },
  { connections: 100, isNew: false },
  { connections: 100, isNew: true },
];

const seconds = Math.floor(Date.now() / 1000);
const issuer = await makeIssuer('Ed25519');
const agents = await makeAgents(AGENTS, issuer, seconds);
let issued = 0;

/** A request that no gateway has seen. Its proof lives for a minute. */
async function newRequest(isNew) {
  issued += 1;
  const { held, token, proofFor } = agents[issued % AGENTS];
  const passport = isNew ? await token({ exp: seconds + 3600 + issued }) : held;
  return requestOf(passport, await proofFor(passport));
}

function requestOf(passport, proof) {
  return {
    method: 'POST',
    path: '/send',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${passport}`,
      'Action-Proof': proof,
    },
    body: BODY,
  };
}

async function startGateway(framework, way) {
  const program = fileURLToPath(new URL('gateway-server.mjs', import.meta.url));
  const child = fork(program, [framework, way], { execArgv: [] });
  child.send(issuer.documents);
  const port = await new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message.port));
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    /** Returns the processor time of the gateway so far, in microseconds. */
    processorTime: async () => {
      const answered = new Promise((resolve) => child.once('message', resolve));
      child.send('processor time');
      const { user, system } = await answered;
      return user + system;
    },
    close: () => child.disconnect(),
  };
}

/** Asserts that a gateway makes the checks that tell requests apart: it is of no use to measure one that makes none. */
async function assertChecks({ url }) {
  const status = async ({ path, ...request }) => (await fetch(url + path, request)).status;
  const request = await newRequest(false);
  const other = await newRequest(false);
  const withToken = (token) => ({ ...other, headers: { ...other.headers, Authorization: token } });
  const found = [
    await status({ ...request, body: JSON.stringify({ ...PAYLOAD, to: 'me@example.com' }) }),
    await status(request),
    await status(request),
    await status(withToken(`Bearer ${agents[0].held}x`)),
    await status(withToken('')),
  ];
  const isExpected = found.every((one, at) => (at === 1 ? one === 200 : one === 401 || one === 403));
  if (!isExpected) throw new Error(`a gateway does not check: ${found.join(', ')}`);
}

/** Sends requests. Returns what {@link sendRequests} does, and the processor time of one in microseconds. */
async function load({ url, processorTime }, { connections, isNew }) {
  const requests = await Promise.all(Array.from({ length: REQUESTS }, () => newRequest(isNew)));
  const before = await processorTime();
  const sent = await sendRequests(url, { connections, requests });
  return { ...sent, time: ((await processorTime()) - before) / REQUESTS };
}

const selected = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(NAMES);
for (const framework of selected) {
  const gateways = [await startGateway(framework, 'middleware'), await startGateway(framework, 'by-hand')];
  for (const gateway of gateways) await assertChecks(gateway);
  for (const settings of LOADS) {
    const both = async () => [await load(gateways[0], settings), await load(gateways[1], settings)];
    for (let count = 0; count < WARM_UP; count++) await both();
    const pairs = [];
    for (let count = 0; count < PAIRS; count++) pairs.push(await both());
    const which = `${settings.isNew ? 'a new passport each time' : 'the same passports'}, ${settings.connections} connections`;
    const name = `${NAMES[framework]} with our middleware`;
    const compared = `${name}, to the same checks by hand, ${which}`;
    const pairsOf = (figure) => pairs.map(([ours, other]) => [ours[figure], other[figure]]);
    comparePairs(`throughput of ${compared}`, pairsOf('throughput'), 'a second');
    comparePairs(`processor time of ${compared}`, pairsOf('time'), 'µs');
    compareWaits(`99th percentile of the waits for ${compared}`, pairs, 0.99);
  }
  for (const gateway of gateways) gateway.close();
}
