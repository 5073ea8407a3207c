import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistryClient, NoUsableSource, type TrustAnchor } from '@passport-registry/verifier';
import { type DemoStage, findFreeUrl, waitForAnswer } from './stage.js';

/** Runs one step of the demo and prints its outcome. */
export type RunStep = <T>(title: string, work: () => Promise<[result: T, words: string]>) => Promise<T>;

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
  const configure = (file: string, urls: readonly string[], keys: readonly string[]) => {
    const witnesses = keys.map((key, index) => ({ key, service: urls[index] }));
    const log = { origin: ORIGIN, signer: { key: 'log.pem' }, quorum: keys.length, wait: 10, witnesses };
    writeFileSync(join(folder, file), JSON.stringify({ log }));
  };
  const witness = async (key: string, state: string) => {
    const url = await findFreeUrl();
    const vkey = (await stage.read('keys', 'log', 'log.pem', '--origin', ORIGIN)).trim();
    const { port } = new URL(url);
    const options = ['--witness-key', key, '--witness-state', state, '--port', port, '--log', vkey];
    stage.start('witness', ...options);
    // A witness that has cosigned nothing has nothing to show.
    await waitForAnswer(url, 404);
    return url;
  };

  const vkeys = await runStep('The operator opens a public log, which three witnesses cosign', async () => {
    await stage.run('keys', 'generate', '--no-passphrase', '--private', 'log.pem');
    const keys: string[] = [];
    const urls: string[] = [];
    for (const name of WITNESSES) {
      await stage.run('keys', 'generate', '--no-passphrase', '--private', `${name}.pem`);
      keys.push((await stage.read('keys', 'witness', `${name}.pem`, '--name', name, '--state', name)).trim());
      urls.push(await witness(`${name}.pem`, name));
    }
    configure('honest.yaml', urls, keys);
    await stage.run(...build, '--config', 'honest.yaml');
    return [keys, keys.join('\n')];
  });

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
      configure('lie.yaml', [await witness('three.example.pem', 'three-other')], [third]);
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
    const { code, stderr } = await stage.outcome(
      'monitor',
      honest,
      '--mirror',
      lying,
      '--root-key',
      'root.json',
    );
    const alarm = stderr.split('\n').find((line) => line.includes('log-forked'));
    return [undefined, expectOutcome(`${code}`, '1') && (alarm ?? expectOutcome('no alarm', 'log-forked'))];
  });
}
