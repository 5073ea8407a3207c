import { createPrivateKey, sign } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorCode, expectCommandError } from './expect-command-error.js';
import { copyOf, madeOnce } from './made-once.js';
import { operatorIn } from './operator.js';
import { sha256 } from './sha256.js';
import { readTreeFile } from './statements.js';
import { good, keyPair, type Outcome } from './workspace.js';

/** The steps of a request in a folder with a registry and its root key: `root.json` and `key.pem`, which only `sign` uses. */
export function requestsIn(folder: () => string) {
  const { at, run, record } = operatorIn(folder);
  const read = (path: string) => (path.startsWith('dist/') ? readTreeFile : readFileSync)(at(path));
  /** Writes a request in place of the one before. */
  const request = (...more: string[]) => {
    rmSync(at('request'), { recursive: true, force: true });
    return run('build', '--unsigned', 'request', '--root-key', 'root.json', ...more);
  };
  const sign = (...more: string[]) =>
    run('sign', 'request', '--key', 'key.pem', '--yes', '--memory', 'memory', ...more);
  const attach = (...more: string[]) => run('attach', 'request', '--root-key', 'root.json', ...more);
  /** Runs a step with `--json`, which must be refused. @param facts - what the message must name */
  const refused = async (step: Promise<Outcome>, code: ErrorCode, ...facts: readonly string[]) =>
    expectCommandError(await step, code, ...facts);
  /** All three steps. Returns what they said. @param more - options of request and attach */
  const publish = async (...more: string[]): Promise<string> => {
    const outcomes = [await good(request(...more)), await good(sign()), await good(attach(...more))];
    return outcomes.map(({ stderr }) => stderr).join('');
  };
  /** The signatures of the request so far. */
  const signatures = () =>
    readdirSync(at('request'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.sig') && !name.startsWith('previous/'))
      .sort();
  return { at, run, read, record, request, sign, attach, refused, publish, signatures };
}

/** A copy of a registry that has published alpha and beta. It has the keys `key`, with `root.json`, `online`, `second` and `next`. */
export async function registryWithRequests(): Promise<string> {
  const made = await madeOnce('registry-with-requests', async (folder) => {
    const { record, publish } = requestsIn(() => folder);
    for (const id of ['alpha', 'beta']) record(id);
    await keyPair(folder, 'key', '--public', 'root.json');
    for (const name of ['online', 'second', 'next']) await keyPair(folder, name);
    await publish();
  });
  return copyOf(made);
}

/** The payloads of a request, and their signatures. */
const SIGNATURES = {
  'issuers.json': 'issuers.sig',
  'publication.signing-input': 'publication.sig',
  'checkpoint.signing-input': 'checkpoint.sig',
  'outgoing/rotation.signing-input': 'outgoing/rotation.sig',
};

/** Signs all payloads of the request in a folder with the keys there, whatever they say. @param outgoing - signs a rotation step */
export function signFiles(folder: string, keys: { key?: string; outgoing?: string } = {}): void {
  const { key: name = 'key', outgoing = name } = keys;
  for (const [payload, signature] of Object.entries(SIGNATURES)) {
    const file = join(folder, 'request', payload);
    if (!existsSync(file)) continue;
    const signer = payload.startsWith('outgoing/') ? outgoing : name;
    const key = createPrivateKey(readFileSync(join(folder, `${signer}.pem`)));
    const signed = sign(null, readFileSync(file), key).toString('base64url');
    writeFileSync(join(folder, 'request', signature), signed);
  }
}

type Json = Record<string, unknown>;

/** What to alter in a statement to sign. */
interface Alteration {
  readonly claims?: Json;
  readonly header?: Json;
  readonly encode?: (value: Json) => string;
}

/** The members sorted, as in a canonical statement. */
const canonical = (value: Json) =>
  JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));

/** Alters a statement to sign. The claim undefined is removed. */
export function alterInput(
  folder: string,
  name: string,
  { claims = {}, header = {}, encode = canonical }: Alteration,
): void {
  const path = Object.keys(SIGNATURES).find((payload) => payload.endsWith(`${name}.signing-input`));
  const file = join(folder, 'request', path ?? `${name}.signing-input`);
  const decode = (part = ''): Json => JSON.parse(Buffer.from(part, 'base64url').toString());
  const [head, said] = readFileSync(file, 'utf8').split('.');
  const part = (text: string) => Buffer.from(text).toString('base64url');
  writeFileSync(
    file,
    `${part(canonical({ ...decode(head), ...header }))}.${part(encode({ ...decode(said), ...claims }))}`,
  );
}

/** Alters the publication statement to sign. A checkpoint beside it is for the altered one. */
export function alterStatement(folder: string, claims: Json, header: Json = {}): void {
  alterInput(folder, 'publication', { claims, header });
  const [publication, checkpoint] = ['publication', 'checkpoint'].map((name) =>
    join(folder, 'request', `${name}.signing-input`),
  ) as [string, string];
  if (!existsSync(checkpoint)) return;
  alterInput(folder, 'checkpoint', { claims: { publication: sha256(readFileSync(publication)) } });
}
