import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PublicJwk } from '@passport-registry/verifier';
import { type DemoStage, findFreeUrl, waitForAnswer } from './stage.js';

const DOCUMENT = fileURLToPath(new URL('../../../docs/gateways.md', import.meta.url));

/** What the door must know. */
interface DoorOptions {
  readonly registryUrl: string;
  readonly rootKey: PublicJwk;
  readonly issuer: string;
  readonly issuerAddress: string;
  readonly audience: string;
}

/**
 * Sends a request to a gateway in front of a server that knows nothing of passports. Returns the status, the cause of a
 * refusal, and what the server has answered.
 */
type AskGateway = (path: string, headers: Record<string, string>) => Promise<string>;

/** Starts nginx as docs/gateways.md configures it, with a door. Returns undefined if nginx is not installed. */
export async function startGateway(stage: DemoStage, options: DoorOptions): Promise<AskGateway | undefined> {
  if (spawnSync('nginx', ['-v']).error !== undefined) return undefined;
  const door = await startDoor(stage, options);
  const [gatewayUrl, application] = [await findFreeUrl(), await startServer(stage)];
  const [, nginx = ''] =
    /\n## nginx\n[\s\S]*?```nginx\n([\s\S]*?)```/.exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
  const { folder } = stage;
  const servers = nginx
    .replaceAll('127.0.0.1:8090', new URL(gatewayUrl).host)
    .replaceAll('127.0.0.1:8181', new URL(door).host)
    .replaceAll('http://127.0.0.1:3000', application);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;\npid ${join(folder, 'nginx.pid')};\nerror_log ${join(folder, 'nginx.log')};\nevents { }
http { access_log off; ${temporary.join(' ')}\n${servers} }\n`,
  );
  stage.startProgram('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')]);
  await waitForAnswer(gatewayUrl, 401);
  return async (path, headers) => {
    const response = await fetch(gatewayUrl + path, { headers });
    const said = response.ok ? await response.text() : response.headers.get('passport-error');
    return `${response.status} ${said}`;
  };
}

async function startDoor(
  stage: DemoStage,
  { registryUrl, rootKey, ...options }: DoorOptions,
): Promise<string> {
  const { issuer, issuerAddress, audience } = options;
  const url = await findFreeUrl();
  const write = (name: string, data: object) => writeFileSync(join(stage.folder, name), JSON.stringify(data));
  write('trust-anchor.json', { root: rootKey, sources: [registryUrl] });
  write('policy.json', { tiers: ['sandbox'] });
  // JSON is YAML, too.
  write('gate.yaml', {
    gateway: 'nginx',
    listen: new URL(url).host,
    trust_anchor: 'trust-anchor.json',
    refresh: 1,
    policy: 'policy.json',
    audience,
    connect: { [issuer]: issuerAddress },
    profiles: { mail: { action: 'email.send' } },
  });
  stage.start('serve', 'gate', '--config', 'gate.yaml');
  await waitForAnswer(`${url}/readyz`);
  return url;
}

/** Starts a server that answers with what it is told of the agent. Returns its URL. */
async function startServer(stage: DemoStage): Promise<string> {
  const url = await findFreeUrl();
  const server = createServer(({ headers }, response) => {
    const { 'passport-issuer': issuer, 'passport-principal': principal, 'passport-scope': scope } = headers;
    response.end(`Passport-Issuer: ${issuer}, Passport-Principal: ${principal}, Passport-Scope: ${scope}`);
  });
  const { port, hostname } = new URL(url);
  await new Promise<void>((resolve) => server.listen(Number(port), hostname, resolve));
  stage.onClear(() => server.close().closeAllConnections());
  return url;
}
