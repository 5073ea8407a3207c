// The throughput of gateways with our middleware, compared with the same gateways with the same checks by hand (gateway.mjs),
// and of nginx that asks the door, compared with nginx that asks a service which says yes (door.mjs). 100 connections of
// `autocannon`. Each request has a new proof; each request to a gateway has a new passport, for the same key of the agent.

import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { comparePairs, isQuick, NOW } from './compare.mjs';
import { startDoor } from './door.mjs';
import { makePassports, PAYLOAD } from './passports.mjs';

const NAMES = { hono: 'Hono', fetch: 'fetch', express: 'Express', fastify: 'Fastify' };
const CONNECTIONS = isQuick ? 2 : 100;
const REQUESTS = isQuick ? 10 : 1500;
const BODY = JSON.stringify(PAYLOAD);
const { documents, token, proof } = await makePassports();
let issued = 0;

for (const [framework, name] of Object.entries(NAMES)) {
  const gateways = await Promise.all(['middleware', 'by-hand'].map((way) => startGateway(framework, way)));
  for (const url of gateways) await assertChecks(url);
  await compareThroughput(`${name} with our middleware, to the same checks by hand`, gateways, postRequest);
}
if (spawnSync('nginx', ['-v']).error !== undefined) console.error('the door: nginx is not installed');
else {
  const held = await token();
  const path = `/page?${new URLSearchParams(PAYLOAD)}`;
  const getRequest = async () => ({ path, headers: await headersOf(held) });
  const services = await startDoor(documents);
  await compareThroughput('nginx with the door, to a service that says yes', services, getRequest);
}
process.exit();

async function startGateway(...args) {
  const child = fork(fileURLToPath(new URL('gateway.mjs', import.meta.url)), args, { execArgv: [] });
  child.send(documents);
  const [url] = await once(child, 'message');
  return url;
}

async function headersOf(passport) {
  return { Authorization: `Bearer ${passport}`, 'Action-Proof': await proof(passport) };
}

/** A request that no gateway has seen. Its proof lives for a minute. */
async function postRequest() {
  const headers = await headersOf(await token({ exp: NOW + 3600 + issued++ }));
  return { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: BODY };
}

/** Asserts that a gateway makes the checks that tell requests apart: there is no use in measuring one that makes none. */
async function assertChecks(url) {
  const request = await postRequest();
  const other = JSON.stringify({ ...PAYLOAD, to: 'me@example.com' });
  const found = [];
  for (const body of [other, BODY, BODY]) found.push((await fetch(url, { ...request, body })).status);
  const isExpected = found.every((status, at) => (at === 1 ? status === 200 : [401, 403].includes(status)));
  if (!isExpected) throw new Error(`a gateway does not check: ${found.join(', ')}`);
}

function compareThroughput(name, [ours, other], make) {
  const pair = async () => [await throughput(ours, make), await throughput(other, make)];
  return comparePairs(`throughput of ${name}`, 7, pair);
}

/** Sends requests over sockets, each once. Returns how many a second have their answers. */
async function throughput(url, make) {
  const requests = await Promise.all(Array.from({ length: REQUESTS }, make));
  const setupClient = (client) => client.setRequests(requests.splice(0, REQUESTS / CONNECTIONS));
  const started = performance.now();
  const run = autocannon({ url, connections: CONNECTIONS, amount: REQUESTS, sampleInt: 20, setupClient });
  let end;
  run.on('response', () => {
    end = performance.now();
  });
  const { '2xx': admitted } = await run;
  if (admitted !== REQUESTS) throw new Error(`only ${admitted} requests were admitted`);
  return (REQUESTS * 1000) / (end - started);
}
