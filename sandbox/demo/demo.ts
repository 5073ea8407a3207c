import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ActionVerdict,
  connectTo,
  createPassportVerifier,
  createRegistryClient,
} from '@passport-registry/verifier';
import { type AgentDeclaration, obtainPassport, signAction } from '@passport-registry/verifier/agent';
import { startGateway } from './gateway.js';
import { splitView } from './split-view.js';
import { DemoStage, findFreeUrl, pause, waitForAnswer } from './stage.js';

const RECORDS = fileURLToPath(new URL('../../../issuers', import.meta.url));
const ISSUER = 'https://playground.example';
const MAIL = 'https://mail.example';
const MAIL_TO_SEND = { to: 'you@example.com', subject: 'Hello' };
/** Shorter than the defaults of 60 and 30 seconds, so that the demo runs quickly. */
const REFRESH_SECONDS = 1;
const STATUS_MAX_AGE_SECONDS = 1;

const stage = new DemoStage();
const { folder } = stage;
let step = 0;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Runs one step and prints its outcome. An error ends the demo. */
async function runStep<T>(title: string, work: () => Promise<[result: T, words: string]>): Promise<T> {
  step += 1;
  say(`\n${String(step).padStart(2)}. ${title}`);
  const [result, words] = await work();
  for (const line of words.split('\n')) say(`    ${line}`);
  return result;
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
  cpSync(RECORDS, join(folder, 'issuers'), { recursive: true });
  const rootKey = await runStep(
    'The operator generates a root key, and builds and signs the registry',
    async () => {
      await stage.run('keys', 'generate', '--no-passphrase', '--private', 'root-key.pem');
      const { stderr } = await stage.run('build', '--key', 'root-key.pem', '--allow-example-names');
      const jwk = JSON.parse(readFileSync(join(folder, 'dist/keys/root.json'), 'utf8'));
      return [jwk, stderr];
    },
  );

  const registryUrl = await findFreeUrl();
  await runStep('A web server serves the registry', async () => {
    stage.start('serve', 'dist', '--port', new URL(registryUrl).port);
    await waitForAnswer(`${registryUrl}/issuers.json`);
    return [undefined, registryUrl];
  });

  const sandboxUrl = await findFreeUrl();
  const fetch = connectTo({ [ISSUER]: sandboxUrl });
  await runStep('An issuer in the registry starts: the sandbox', async () => {
    stage.start('sandbox', '--port', new URL(sandboxUrl).port);
    await waitForAnswer(`${sandboxUrl}/.well-known/openid-configuration`);
    return [undefined, `${ISSUER}, served at ${sandboxUrl}`];
  });

  const agentKeys = () =>
    crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']) as Promise<CryptoKeyPair>;
  const mint = async (keys: CryptoKeyPair) => {
    const mandate = { scope: ['email.send'], expires_at: new Date(Date.now() + 3600_000).toISOString() };
    const agent: AgentDeclaration = {
      principal_id: 'user-1',
      realm_id: 'laptop',
      agent_type: 'ai-assistant',
      capabilities: ['email', 'files'],
      subdelegation_mode: 'none',
      mandate,
    };
    const { passport, token } = await obtainPassport({ issuer: ISSUER, keys, agent, fetch });
    return { keys, token, did: passport.passport_did };
  };
  const first = await runStep(
    'An agent requests a nonce, signs the nonce, and gets a passport for sending mail',
    async () => {
      const minted = await mint(await agentKeys());
      return [minted, `${minted.did}\n${minted.token.slice(0, 60)}…`];
    },
  );

  const updates: string[] = [];
  const registry = createRegistryClient({
    sources: [registryUrl],
    rootKey,
    refreshInterval: REFRESH_SECONDS,
    onEvent: (event) => {
      if (event.type === 'accepted') updates.push(event.updatedAt);
    },
  });
  await registry.ready();
  const verifier = createPassportVerifier({
    registry,
    policy: { tiers: ['sandbox'] },
    audience: MAIL,
    statusMaxAge: STATUS_MAX_AGE_SECONDS,
    fetch,
  });
  const attempt = async ({ keys, token }: { keys: CryptoKeyPair; token: string }, action: string) => {
    const proof = await signAction({ token, keys, audience: MAIL, action, payload: MAIL_TO_SEND });
    return verifier.verifyAction({ token, action, payload: MAIL_TO_SEND, proof });
  };

  /** A request for a gateway, with the payload in its query. */
  const proven = async ({ keys, token }: { keys: CryptoKeyPair; token: string }) => {
    const action = 'email.send';
    const proof = await signAction({ token, keys, audience: MAIL, action, payload: MAIL_TO_SEND });
    const headers = { Authorization: `Bearer ${token}`, 'Action-Proof': proof };
    return [`/?${new URLSearchParams(MAIL_TO_SEND)}`, headers] as const;
  };

  await runStep('The agent sends mail: the verifier pins the root key, and checks everything', async () => [
    undefined,
    describeVerdict(await attempt(first, 'email.send'), 'verified'),
  ]);
  await runStep('The agent tries to delete files, which its mandate does not cover', async () => [
    undefined,
    describeVerdict(await attempt(first, 'files.delete'), 'scope-not-granted'),
  ]);
  await runStep('The issuer revokes the passport', async () => {
    const operator = readFileSync(join(folder, '.passport-registry/sandbox-operator-token'), 'utf8').trim();
    const headers = { Authorization: `Bearer ${operator}` };
    const { status } = await fetch(`${ISSUER}/v1/passports/${first.did}/revoke`, { method: 'POST', headers });
    if (status !== 200) throw new Error(`the issuer answered with status ${status}`);
    await pause(STATUS_MAX_AGE_SECONDS);
    return [undefined, describeVerdict(await attempt(first, 'email.send'), 'passport-revoked')];
  });
  const second = await runStep('The agent generates a new key, and gets another passport', async () => {
    const minted = await mint(await agentKeys());
    return [minted, `${minted.did}\n${describeVerdict(await attempt(minted, 'email.send'), 'verified')}`];
  });
  const askGateway = await runStep(
    'A gateway, nginx, asks a door before each request; the server behind it knows nothing of passports',
    async () => {
      const door = { registryUrl, rootKey, issuer: ISSUER, issuerAddress: sandboxUrl, audience: MAIL };
      const ask = await startGateway(stage, door);
      if (ask === undefined) return [undefined, 'nginx is not installed: see docs/gateways.md'];
      const without = await ask('/', {});
      return [ask, `without a passport: ${without}\nwith one: ${await ask(...(await proven(second)))}`];
    },
  );
  await runStep('The operator suspends the issuer in the registry, and signs the list again', async () => {
    const record = join(folder, 'issuers/playground.yaml');
    writeFileSync(record, readFileSync(record, 'utf8').replace('status: active', 'status: suspended'));
    const { stderr } = await stage.run('build', '--key', 'root-key.pem', '--allow-example-names');
    return [undefined, stderr];
  });
  await runStep('The verifier refreshes its list, and rejects every passport of that issuer', async () => {
    for (let waited = 0; updates.length < 2 && waited < 20; waited += 0.1) await pause(0.1);
    const words = describeVerdict(await attempt(second, 'email.send'), 'status-suspended');
    return [undefined, `list updated at ${updates.at(-1)}\n${words}`];
  });
  await runStep('So does the gateway, without a restart', async () => {
    if (askGateway === undefined) return [undefined, 'nginx is not installed'];
    let said = '';
    for (let waited = 0; !said.includes('status-suspended') && waited < 20; waited += 0.1) {
      said = await askGateway(...(await proven(second)));
      await pause(0.1);
    }
    if (!said.includes('status-suspended')) throw new Error(`the gateway answered ${said}`);
    return [undefined, said];
  });
  registry.close();
  await splitView(stage, rootKey, runStep);
}

try {
  await demo();
  say('\nEvery step had the expected outcome.');
} catch (error) {
  say(`\nFAILED at step ${step}: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  stage.clear();
}
