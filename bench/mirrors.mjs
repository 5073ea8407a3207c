// How often readers of a mirror get an inconsistent list and signature while the registry is published repeatedly. The
// mirror uses `passport-registry mirror`, docs/hosting/mirror.sh, or rsync into the served folder. Also, how many bytes
// a mirror transfers after one changed record in a large tree, by rsync and by HTTP. Needs rsync and nginx.
// Usage: node bench/mirrors.mjs [seconds] [records]

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { importRootKey, RegistryError, verifyList } from '@passport-registry/verifier';
import { build } from '../build/generator/index.js';

const seconds = Number(process.argv[2] ?? 60);
const records = Number(process.argv[3] ?? 10_000);
const READERS = 4;
const RETRIES = 2;
const CLI = resolve('build/cli/main.js');
const SCRIPT = resolve('docs/hosting/mirror.sh');

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const children = [];
const start = (program, args, options = {}) => {
  const child = spawn(program, args, { stdio: 'ignore', ...options });
  children.push(child);
  return child;
};

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

const record = (id, number) => `issuer_id: ${id}
tier: certified
status: active
jwks_uri: https://${id}.alt/jwks
discovery_uri: https://${id}.alt/metadata
policy_uri: https://${id}.alt/policy/${number}
certified_since: 2026-01-01T00:00:00Z
`;

async function registry(count) {
  const folder = mkdtempSync(join(tmpdir(), 'mirrors-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'issuers'));
  for (let index = 0; index < count; index++) {
    writeFileSync(join(folder, `issuers/issuer-${index}.yaml`), record(`issuer-${index}`, 0));
  }
  const { stdout } = spawnSync(process.execPath, [
    CLI,
    'keys',
    'generate',
    '--no-passphrase',
    '--private',
    join(folder, 'key.pem'),
  ]);
  writeFileSync(join(folder, 'root.json'), stdout);
  const publish = (number) => {
    writeFileSync(join(folder, 'issuers/issuer-0.yaml'), record('issuer-0', number));
    const paths = {
      issuers: join(folder, 'issuers'),
      out: join(folder, 'dist'),
    };
    const signer = { key: join(folder, 'key.pem'), production: true, directory: folder };
    return build({ ...paths, signer });
  };
  await publish(0);
  return { folder, publish, rootKey: await importRootKey(JSON.parse(stdout)) };
}

async function daemon(folder) {
  const port = await freePort();
  const text = readFileSync('docs/hosting/rsyncd.conf', 'utf8')
    .replace('/srv/registry/dist', join(folder, 'dist'))
    .replaceAll(/^[ug]id = .*\n/gm, '')
    .replace('use chroot = yes', 'use chroot = no');
  writeFileSync(join(folder, 'rsyncd.conf'), text);
  const args = ['--daemon', '--no-detach', `--config=${join(folder, 'rsyncd.conf')}`];
  start('rsync', [...args, '--address=127.0.0.1', `--port=${port}`]);
  await pause(500);
  return `rsync://127.0.0.1:${port}/registry`;
}

async function host(folder, root) {
  const port = await freePort();
  const server = readFileSync('docs/hosting/nginx.conf', 'utf8')
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('/srv/registry/dist', root);
  const own = join(folder, `nginx-${port}`);
  mkdirSync(join(own, 'logs'), { recursive: true });
  writeFileSync(join(own, 'server.conf'), server);
  const configuration = `daemon off; user root; pid ${own}/pid; error_log ${own}/logs/error.log; events { } http { access_log off; include ${own}/server.conf; }`;
  writeFileSync(join(own, 'nginx.conf'), configuration);
  start('nginx', ['-p', own, '-c', join(own, 'nginx.conf')]);
  await pause(500);
  return `http://127.0.0.1:${port}`;
}

/** Each scheme starts a process that copies the tree repeatedly. Returns the folder to serve. */
const SCHEMES = {
  'passport-registry mirror': (source, folder) => {
    const into = join(folder, 'by-mirror');
    const args = ['mirror', source, into, '--root-key', join(folder, 'root.json'), '--watch', '1'];
    start(process.execPath, [CLI, ...args]);
    return join(into, 'current');
  },
  'docs/hosting/mirror.sh': (source, folder) => {
    const into = join(folder, 'by-script');
    start('sh', ['-c', `while :; do "${SCRIPT}" "${source}" "${into}"; sleep 1; done`], { detached: true });
    return join(into, 'current');
  },
  'rsync -a --delete in place': (source, folder) => {
    const into = join(folder, 'in-place');
    start('sh', ['-c', `while :; do rsync -a --delete "${source}/" "${into}/"; sleep 1; done`], {
      detached: true,
    });
    return into;
  },
};

/** Fetches the list, then the signature. Returns whether they do not match: a torn read. */
async function isTornRead(base, rootKey) {
  const text = async (path) => (await fetch(`${base}/${path}`)).text();
  try {
    const list = new TextEncoder().encode(await text('issuers.json'));
    await verifyList({ list, signature: await text('issuers.sig'), rootKey });
    return false;
  } catch (error) {
    if (error instanceof RegistryError) return true;
    throw error;
  }
}

async function measure(name) {
  const { folder, publish, rootKey } = await registry(50);
  try {
    const served = SCHEMES[name](await daemon(folder), folder);
    await pause(4000);
    symlinkSync(served, join(folder, 'htdocs'));
    const base = await host(folder, join(folder, 'htdocs'));
    const until = performance.now() + seconds * 1000;
    const found = { publications: 0, reads: 0, torn: 0, failed: 0 };
    const writer = async () => {
      while (performance.now() < until) {
        found.publications += 1;
        await publish(found.publications);
        await pause(200);
      }
    };
    const reader = async () => {
      while (performance.now() < until) {
        found.reads += 1;
        let isTorn = await isTornRead(base, rootKey);
        if (isTorn) found.torn += 1;
        for (let retry = 0; isTorn && retry < RETRIES; retry++) isTorn = await isTornRead(base, rootKey);
        if (isTorn) found.failed += 1;
      }
    };
    await Promise.all([writer(), ...Array.from({ length: READERS }, reader)]);
    return found;
  } finally {
    stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function stop() {
  for (const child of children.splice(0)) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  }
}

console.log(`one publication every 200 ms, ${READERS} readers, ${seconds} s per scheme\n`);
console.log('| scheme | publications | reads | torn at the first attempt | torn after two retries |');
console.log('|---|---|---|---|---|');
for (const name of Object.keys(SCHEMES)) {
  const { publications, reads, torn: pairs, failed } = await measure(name);
  console.log(`| ${name} | ${publications} | ${reads} | ${pairs} | ${failed} |`);
}

const { folder, publish } = await registry(records);
try {
  const { bytes } = await publish(1);
  const sources = { rsync: await daemon(folder), HTTP: await host(folder, join(folder, 'dist')) };
  const mirror = (way) => {
    const into = join(folder, `mirror-${way}`);
    const args = ['mirror', sources[way], into, '--root-key', join(folder, 'root.json'), '--json'];
    const started = performance.now();
    const { stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    return { ...JSON.parse(stdout), seconds: (performance.now() - started) / 1000 };
  };
  const ways = Object.keys(sources);
  const whole = Object.fromEntries(ways.map((way) => [way, mirror(way)]));
  await publish(2);
  console.log(`\n${records} records, ${bytes} bytes\n`);
  console.log('| way | files, first copy | bytes | s | files, one changed record | bytes | s |');
  console.log('|---|---|---|---|---|---|---|');
  for (const way of ways) {
    const cells = [whole[way], mirror(way)].flatMap((run) => [
      run.fetched,
      run.bytes,
      run.seconds.toFixed(1),
    ]);
    console.log(`| ${way} | ${cells.join(' | ')} |`);
  }
} finally {
  stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit();
