import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistryClient, NoUsableSource, type TrustAnchor } from '@passport-registry/verifier';
import { type DemoStage, findFreeUrl, waitForAnswer } from './stage.js';

/** Runs one step of the demo and prints its outcome. */
type RunStep = <T>(title: string, work: () => Promise<[result: T, words: string]>) => Promise<T>;

const ORIGIN = 'registry.example/log';
const WITNESSES = ['one.example', 'two.example', 'three.example'];
const RECORD = 'playground.yaml';

/** The outcome of loading a list: the tier of an issuer in it, or the code with which the source was refused. */
async function load(source: string, trustAnchor: TrustAnchor): Promise<string> {
  const client = createRegistryClient({ sources: [source], trustAnchor });
  try {
    await client.ready();
    return `${client.resolve('playground')?.status}`;
  } catch (error) {
    if (!(error instanceof NoUsableSource)) throw error;
    return error.errors[source]?.code ?? error.code;
  } finally {
    client.close();
  }
}

/** Ends the demo if an outcome is not the expected one. */
function expectOutcome(found: string, expected: string): string {
  if (found !== expected) throw new Error(`expected ${expected}, but got ${found}`);
  return found;
}

/**
 * Shows two lists in concert: whoever has all keys of the operator, and one of three witnesses, publishes a list that the
 * rest of the world does not see. A verifier that demands two witnesses refuses it, and a monitor notices it.
 */
export async function splitView(
  stage: DemoStage,
  root: TrustAnchor['root'],
  runStep: RunStep,
): Promise<void> {
  const { folder } = stage;
  const build = ['build', '--key', 'root-key.pem', '--allow-example-names'];
  const configure = (file: string, witnesses: readonly { key: string; service: string }[]) => {
    const quorum = witnesses.length;
    const log = { origin: ORIGIN, signer: { key: 'log.pem' }, quorum, wait: 10, witnesses };
    writeFileSync(join(folder, file), JSON.stringify({ log }));
  };
  /** Makes a key, and prints what others know of it. */
  const key = async (file: string, ...shown: string[]) => {
    await stage.run('keys', 'generate', '--no-passphrase', '--private', file);
    return (await stage.run('keys', 'public', file, ...shown)).stdout;
  };
  const witness = async (log: string, file: string, state: string) => {
    const url = await findFreeUrl();
    const { port } = new URL(url);
    const options = ['--witness-key', file, '--witness-state', state, '--port', port, '--log', log];
    stage.start('witness', ...options);
    // A witness that has cosigned nothing has nothing to show.
    await waitForAnswer(url, 404);
    return url;
  };

  const [log, vkeys] = await runStep(
    'The operator opens a public log, which three witnesses cosign',
    async () => {
      const vkey = await key('log.pem', '--log', ORIGIN);
      const started = WITNESSES.map(async (name) => {
        const file = `${name}.pem`;
        const own = await key(file, '--witness', name, '--state', name);
        return { key: own, service: await witness(vkey, file, name) };
      });
      const witnesses = await Promise.all(started);
      configure('honest.yaml', witnesses);
      const keys = witnesses.map(({ key }) => key);
      await stage.run(...build, '--config', 'honest.yaml');
      return [[vkey, keys] as const, keys.join('\n')];
    },
  );

  // The thief's copies of the registry, and of the state of the third witness.
  for (const [from, to] of [
    ['dist', 'other'],
    ['issuers', 'other-issuers'],
    ['three.example', 'three-other'],
  ] as const) {
    cpSync(join(folder, from), join(folder, to), { recursive: true });
  }
  const honest = await findFreeUrl();
  const lying = await findFreeUrl();
  await runStep(
    'The operator changes the list, and a thief of all keys and one witness changes it otherwise',
    async () => {
      const third = vkeys[2] as string;
      configure('lie.yaml', [
        { key: third, service: await witness(log, 'three.example.pem', 'three-other') },
      ]);
      const record = join(folder, 'other-issuers', RECORD);
      writeFileSync(record, readFileSync(record, 'utf8').replace('status: suspended', 'status: active'));
      await stage.run(...build, '--config', 'honest.yaml', '--renew');
      await stage.run(...build, '--config', 'lie.yaml', '--issuers', 'other-issuers', '--out', 'other');
      stage.start('serve', 'dist', '--port', new URL(honest).port);
      stage.start('serve', 'other', '--port', new URL(lying).port);
      await Promise.all([honest, lying].map((url) => waitForAnswer(`${url}/issuers.json`)));
      return [undefined, `the world sees ${honest}\nthe victim sees ${lying}`];
    },
  );
  const quorum: TrustAnchor = { root, log: ORIGIN, witnesses: [...vkeys], quorum: 2 };
  await runStep(
    'A verifier that pins only the root key is fooled: the suspended issuer is active',
    async () => [undefined, expectOutcome(await load(lying, { root }), 'active')],
  );
  await runStep(
    'A verifier that demands two of three witnesses refuses that list, and accepts the other',
    async () => {
      const refused = expectOutcome(await load(lying, quorum), 'ERR_TOO_FEW_COSIGNATURES');
      return [undefined, `${refused}\n${expectOutcome(await load(honest, quorum), 'suspended')}`];
    },
  );
  await runStep('A monitor compares the two hosts, and raises the alarm in one round', async () => {
    writeFileSync(join(folder, 'root.json'), JSON.stringify(root));
    const monitored = stage.run('monitor', honest, '--mirror', lying, '--root-key', 'root.json');
    const { code, stderr } = await monitored.then(
      () => ({ code: 0, stderr: '' }),
      (error) => error as { readonly code: number; readonly stderr: string },
    );
    const alarm = stderr.split('\n').find((line) => line.includes('log-forked'));
    return [undefined, expectOutcome(`${code}`, '1') && (alarm ?? expectOutcome('no alarm', 'log-forked'))];
  });
}
