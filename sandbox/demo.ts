import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ActionVerdict, createPassportVerifier } from '@passport-registry/passports';
import { type AgentDeclaration, obtainPassport, signAction } from '@passport-registry/passports/agent';
import { connectTo, createRegistryClient, type TrustPolicy } from '@passport-registry/verifier';
import { startSandbox } from './index.js';

const CLI = fileURLToPath(new URL('../cli/main.js', import.meta.url));
const RECORDS = fileURLToPath(new URL('../../issuers', import.meta.url));
const ISSUER = 'https://playground.example';
const MAIL = 'https://mail.example';
const MAIL_TO_SEND = { to: 'you@example.com', subject: 'Hello' };

const folder = mkdtempSync(join(tmpdir(), 'passport-demo-'));
/** Stops everything that still runs, so that the process ends however the demo ends. */
const stops: (() => unknown)[] = [];
let step = 0;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints the number and the title of the step that begins. */
function begin(title: string): void {
  step += 1;
  say(`\n${step}. ${title}`);
}

/** Prints the outcome of a step. */
function report(outcome: string): void {
  for (const line of outcome.split('\n')) say(`   ${line}`);
}

/** Runs a command of `passport-registry`. Returns what it prints about its progress. */
async function run(...args: string[]): Promise<string> {
  const { stderr } = await promisify(execFile)(process.execPath, [CLI, ...args], { cwd: folder });
  return stderr.trim();
}

const build = () => run('build', '--key', 'root-key.pem', '--allow-example-names');

/** Serves the registry until the demo ends. Returns its URL. */
async function serveRegistry(): Promise<string> {
  const server = spawn(process.execPath, [CLI, 'serve', '--port', '0'], { cwd: folder });
  stops.push(() => server.kill());
  const [line] = await once(server.stderr, 'data');
  const [url] = /http:\S+/.exec(`${line}`) ?? [];
  if (url === undefined) throw new Error(`${line}`);
  return url;
}

/** Describes a verdict. @throws Error if the verdict does not have the expected code */
function describeVerdict({ allowed, reasons, checks }: ActionVerdict, expected: string): string {
  const [{ code, message } = { code: 'none', message: '' }] = reasons;
  if (code !== expected || allowed !== (expected === 'verified')) {
    throw new Error(`expected ${expected}, but got ${code}: ${message}`);
  }
  const passed = checks.filter(({ result }) => result === 'passed').map(({ name }) => name);
  const failed = checks.find(({ result }) => result === 'failed')?.name;
  const summary = `passed: ${passed.join(', ')}`;
  return allowed ? `ALLOWED\n${summary}` : `REJECTED at ${failed}: ${code}, ${message}\n${summary}`;
}

async function demo(): Promise<void> {
  begin('The operator signs the registry with a root key, and serves it');
  cpSync(RECORDS, join(folder, 'issuers'), { recursive: true });
  await run('keys', 'generate', '--no-passphrase', '--private', 'root-key.pem');
  report(await build());
  const url = await serveRegistry();
  report(url);

  begin('An issuer in the registry starts: the sandbox');
  const sandbox = await startSandbox({ operatorToken: 'for this demo' });
  stops.push(() => sandbox.close());
  const fetch = connectTo({ [ISSUER]: sandbox.address });
  report(`${ISSUER}, served at ${sandbox.address}`);

  begin('An agent gets a passport for sending mail');
  const keys = (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair;
  const agent: AgentDeclaration = {
    principal_id: 'user-1',
    realm_id: 'laptop',
    agent_type: 'ai-assistant',
    capabilities: ['email', 'files'],
    subdelegation_mode: 'none',
    mandate: { scope: ['email.send'], expires_at: new Date(Date.now() + 3600_000).toISOString() },
  };
  const { passport, token } = await obtainPassport({ issuer: ISSUER, keys, agent, fetch });
  report(`${passport.passport_did}\n${token.slice(0, 60)}…`);

  begin('A verifier that pins the root key loads the list');
  const rootKey = JSON.parse(readFileSync(join(folder, 'dist/keys/root.json'), 'utf8'));
  const registry = createRegistryClient({ sources: [url], rootKey });
  stops.push(() => registry.close());
  await registry.ready();
  report(`${registry.list().length} issuers`);
  const policy: TrustPolicy = { tiers: ['sandbox'] };
  const verifier = createPassportVerifier({ registry, policy, audience: MAIL, fetch });
  const attempt = async (action: string) => {
    const proof = await signAction({ token, keys, audience: MAIL, action, payload: MAIL_TO_SEND });
    return verifier.verifyAction({ token, action, payload: MAIL_TO_SEND, proof });
  };

  begin('The agent sends mail');
  report(describeVerdict(await attempt('email.send'), 'verified'));

  begin('The agent tries to delete files, which its mandate does not cover');
  report(describeVerdict(await attempt('files.delete'), 'scope-not-granted'));

  begin('The operator suspends the issuer, and signs the list again');
  const record = join(folder, 'issuers/playground.yaml');
  writeFileSync(record, readFileSync(record, 'utf8').replace('status: active', 'status: suspended'));
  report(await build());

  begin('The verifier refreshes its list, and rejects every passport of that issuer');
  await registry.refresh();
  report(describeVerdict(await attempt('email.send'), 'status-suspended'));
}

try {
  await demo();
  say('\nEvery step had the expected outcome.');
} catch (error) {
  say(`\nFAILED at step ${step}: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  for (const stop of stops) stop();
  rmSync(folder, { recursive: true, force: true });
}
