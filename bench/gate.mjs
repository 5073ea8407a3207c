// nginx that asks the door before each request, compared with the same nginx that asks a service which always says yes, and
// with one that verifies the token with `jose.jwtVerify` alone: requests in a second, and the time within which half of the
// requests and 99 of 100 have their answer. `autocannon` sends the requests over sockets. Agents send the same passport each
// time; with an action, each request has a new proof. All is served by one nginx, from one small file.
// The door with 10,000 issuers is compared with the same door with one.
// Usage: node bench/gate.mjs

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { comparePairs, compareWaits, notMeasured } from './compare.mjs';
import { issuers } from './corpus.mjs';
import { ACTION, AUDIENCE, ISSUER_RECORD, makeAgents, makeIssuer, PAYLOAD, POLICY } from './passports.mjs';
import { sendRequests } from './send-requests.mjs';
import { rootKey, serveFiles, syntheticTree } from './synthetic-tree.mjs';

const AGENTS = 20;
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 2000);
const WARM_UP = 2;
const PAIRS = Number(process.env.BENCH_PAIRS ?? 5);
const SIZES = [1, 10_000];

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gate-'));
const children = [];

if (spawnSync('nginx', ['-v']).error !== undefined)
  notMeasured('the door behind nginx', 'nginx is not installed');
else {
  try {
    await measure();
  } finally {
    for (const child of children) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit();
}

/** Starts a program. Returns the first line of its output that is wanted, as JSON. */
async function start(program, args, isWanted) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const data = JSON.parse(line);
    if (!isWanted(data)) continue;
    child.stdout.resume();
    return data;
  }
  throw new Error(`${args.join(' ')} ended`);
}

/** Starts a door for a registry of this number of issuers, and waits until it has the list. */
async function startDoor(size, issuerAddress) {
  const others = size > 1 ? issuers(size - 1) : [];
  const updatedAt = `${new Date(Date.now() - 60_000).toISOString().slice(0, 19)}Z`;
  const registry = await serveFiles(
    await syntheticTree([...others, ISSUER_RECORD], { updatedAt, sequence: 1 }),
  );
  const write = (name, data) => writeFileSync(join(folder, name), JSON.stringify(data));
  write(`anchor-${size}.json`, { root: rootKey.jwk, sources: [registry.base] });
  write('policy.json', POLICY);
  write(`gate-${size}.yaml`, {
    gateway: 'nginx',
    listen: '127.0.0.1:0',
    trust_anchor: `anchor-${size}.json`,
    policy: 'policy.json',
    audience: AUDIENCE,
    connect: { [new URL(ISSUER_RECORD.jwks_uri).origin]: issuerAddress },
    profiles: { site: {}, mail: { action: ACTION } },
  });
  const args = [here('../build/cli/main.js'), 'serve', 'gate', '--config', join(folder, `gate-${size}.yaml`)];
  const { address } = await start(process.execPath, args, ({ event }) => event === 'listening');
  while ((await fetch(`${address}/readyz`)).status !== 200) await new Promise((done) => setTimeout(done, 50));
  return new URL(address).host;
}

async function listen(handler) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** One server of nginx, which asks a service before each request. */
function serverOf(name, port, [host, path]) {
  return `
  upstream ${name} { server ${host}; keepalive 128; }
  server {
    listen 127.0.0.1:${port};
    root ${folder}/site;
    auth_request /_ask;
    location = /_ask {
      internal;
      proxy_pass http://${name}${path};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_set_header X-Original-Method $request_method;
      proxy_set_header X-Original-Uri $request_uri;
      proxy_set_header X-Original-Host $host;
      proxy_set_header X-Original-Request-Id $request_id;
    }
  }`;
}

/** Starts nginx with a server for each service. Returns their URLs, by name. */
async function startNginx(services) {
  mkdirSync(join(folder, 'site'));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'site/page'), 'a page');
  const ports = {};
  for (const name of Object.keys(services)) ports[name] = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${folder}/${name};\n`)
    .join('');
  const servers = Object.entries(services).map(([name, service]) => serverOf(name, ports[name], service));
  const text = `daemon off;\nuser root;\nworker_processes 1;\npid ${folder}/nginx.pid;
error_log ${folder}/error.log;\nevents { worker_connections 1024; }
http {\n  access_log off;\n${temporary}${servers.join('')}\n}\n`;
  writeFileSync(join(folder, 'nginx.conf'), text);
  children.push(spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' }));
  const urls = Object.entries(ports).map(([name, port]) => [name, `http://127.0.0.1:${port}`]);
  const isUp = () =>
    fetch(urls[0][1]).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) await new Promise((done) => setTimeout(done, 50));
  return Object.fromEntries(urls);
}

async function measure() {
  const seconds = Math.floor(Date.now() / 1000);
  const issuer = await makeIssuer('Ed25519');
  const agents = await makeAgents(AGENTS, issuer, seconds);
  const { origin } = new URL(ISSUER_RECORD.jwks_uri);
  const issuerPort = await listen(({ url }, response) =>
    response.end(JSON.stringify(issuer.documents[origin + url])),
  );
  const issuerAddress = `http://127.0.0.1:${issuerPort}`;
  const doors = [];
  for (const size of SIZES) doors.push(await startDoor(size, issuerAddress));
  const jwks = JSON.stringify(issuer.documents[ISSUER_RECORD.jwks_uri]);
  const other = async (way) =>
    `127.0.0.1:${(await start(process.execPath, [here('gate-server.mjs'), way, jwks, origin], () => true)).port}`;
  const urls = await startNginx({
    site: [doors[0], '/verify/site'],
    mail: [doors[0], '/verify/mail'],
    many: [doors[1], '/verify/site'],
    yes: [await other('yes'), '/'],
    jose: [await other('jose'), '/'],
  });

  const query = new URLSearchParams(PAYLOAD);
  let made = 0;
  const requestsFor = (isAction) =>
    Promise.all(
      Array.from({ length: REQUESTS }, async () => {
        made += 1;
        const { held, proofFor } = agents[made % AGENTS];
        const headers = { Authorization: `Bearer ${held}` };
        if (!isAction) return { method: 'GET', path: '/page', headers };
        const withProof = { ...headers, 'Action-Proof': await proofFor(held) };
        return { method: 'GET', path: `/page?${query}`, headers: withProof };
      }),
    );
  const refused = await Promise.all(
    ['site', 'mail', 'many', 'jose'].map((name) => fetch(`${urls[name]}/page`)),
  );
  if (refused.some(({ status }) => status !== 401))
    throw new Error('a service admits a request without a token');

  const COMPARED = [
    ['site', 'yes', 'with a passport, to a service that says yes'],
    ['site', 'jose', 'with a passport, to jwtVerify alone'],
    ['mail', 'yes', 'with an action, to a service that says yes'],
    ['many', 'site', 'with 10,000 issuers, to one issuer'],
  ];
  for (const connections of [10, 100]) {
    for (const [ours, floor, what] of COMPARED) {
      const both = async () => [
        await sendRequests(urls[ours], { connections, requests: await requestsFor(ours === 'mail') }),
        await sendRequests(urls[floor], { connections, requests: await requestsFor(false) }),
      ];
      for (let count = 0; count < WARM_UP; count++) await both();
      const pairs = [];
      for (let count = 0; count < PAIRS; count++) pairs.push(await both());
      const name = `nginx with the door ${what}, ${connections} connections`;
      comparePairs(
        `throughput of ${name}`,
        pairs.map((pair) => pair.map(({ throughput }) => throughput)),
        'a second',
      );
      compareWaits(`median of the waits for ${name}`, pairs, 0.5);
      compareWaits(`99th percentile of the waits for ${name}`, pairs, 0.99);
    }
  }
}
