// For middleware.mjs: nginx with two ports. Before each request to one, nginx asks the door; before each request to the other,
// a service that says yes. Both serve one small file.

import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CLI, node, start } from './compare.mjs';
import { BUILD, makeWorkspace } from './corpus.mjs';
import { ACTION, AUDIENCE, ISSUER, POLICY, RECORD } from './passports.mjs';

const YES = `const server = require('node:http').createServer((_request, response) => response.end());
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));`;

/** Starts a registry with the issuer, the door, the other service and nginx. Returns the URL behind each service. */
export async function startDoor(documents) {
  const folder = makeWorkspace([RECORD]);
  node(folder, ...BUILD);
  const write = (name, text) => writeFileSync(join(folder, name), text);
  const issuer = createServer(({ url }, response) => response.end(JSON.stringify(documents[ISSUER + url])));
  await once(issuer.listen(0, '127.0.0.1'), 'listening');
  const registry = await start(folder, process.execPath, CLI, 'serve', '--port', '0');
  const root = JSON.parse(readFileSync(join(folder, 'dist/keys/root.json'), 'utf8'));
  const settings = {
    gateway: 'nginx',
    listen: '127.0.0.1:0',
    trust_anchor: 'anchor.json',
    policy: 'policy.json',
    audience: AUDIENCE,
    connect: { [ISSUER]: `http://127.0.0.1:${issuer.address().port}` },
    profiles: { mail: { action: ACTION } },
  };
  write('anchor.json', JSON.stringify({ root, sources: [registry] }));
  write('policy.json', JSON.stringify(POLICY));
  write('gate.yaml', JSON.stringify(settings));
  const door = await start(folder, process.execPath, CLI, 'gate', 'gate.yaml');
  const yes = await start(folder, process.execPath, '-e', YES);
  await until(`${door}/readyz`, 200);

  mkdirSync(join(folder, 'site'));
  write('site/page', 'a page');
  chmodSync(folder, 0o755);
  const ports = await Promise.all([freePort(), freePort()]);
  write('nginx.conf', configuration(folder, [`${ports[0]} ${door}/verify/mail`, `${ports[1]} ${yes}/`]));
  start(folder, 'nginx', '-p', folder, '-c', join(folder, 'nginx.conf')).catch(() => undefined);
  await until(`http://127.0.0.1:${ports[0]}/page`, 401);
  return ports.map((port) => `http://127.0.0.1:${port}/page`);
}

async function until(url, status) {
  while ((await fetch(url).catch(() => undefined))?.status !== status) await setTimeout(50);
}

async function freePort() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

function configuration(folder, services) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const servers = services.map((service) => {
    const [, port, host, path] = /^(\d+) http:\/\/([^/]+)(\/.*)$/.exec(service);
    const headers = ['Method $request_method', 'Uri $request_uri', 'Host $host', 'Request-Id $request_id'];
    return `upstream asked_${port} { server ${host}; keepalive 128; }
      server {
        listen 127.0.0.1:${port};
        root ${folder}/site;
        auth_request /_ask;
        location = /_ask {
          internal;
          proxy_pass http://asked_${port}${path};
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_pass_request_body off;
          proxy_set_header Content-Length "";
          ${headers.map((header) => `proxy_set_header X-Original-${header};`).join('\n')}
        }
      }`;
  });
  return `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
    events { worker_connections 1024; }
    http { access_log off; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')} ${servers.join('\n')} }`;
}
