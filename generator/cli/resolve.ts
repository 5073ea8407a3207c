import {
  assertTrustPolicy,
  createRegistryClient,
  type Decision,
  type Registry,
  RegistryError,
  type RootJwk,
  type TrustPolicy,
} from '@passport-registry/verifier';
import { openRegistry } from '@passport-registry/verifier/node';
import type { Command } from 'commander';
import { TreeRejected, UsageError } from '../errors.js';
import { loadRootKey } from '../key-file.js';
import { readText } from '../read-file.js';
import { emit, say } from './output.js';
import { run } from './run.js';
import { isAddress, isFolder } from './where.js';

interface Options {
  policy: string;
  source: string[];
  rootKey: string;
  maxAge: string;
  json?: true;
}

/** `passport-registry resolve` */
export function addResolveCommand(program: Command): void {
  program
    .command('resolve')
    .description('ask whether an issuer is trusted under a policy')
    .argument('<id>', 'issuer_id')
    .requiredOption('--policy <file>', 'trust policy, as JSON')
    .requiredOption('--root-key <file>', 'public JWK of the root key that you trust')
    .option('--source <dir|url...>', 'registry and its mirrors, in order, or one folder', ['dist'])
    .option('--max-age <days>', 'how old the list may be where there is no checkpoint', '30')
    .option('--json', 'the decision as JSON on stdout')
    .action((id: string, options: Options) => run(options.json === true, () => resolve(id, options)));
}

async function resolve(id: string, options: Options): Promise<number> {
  if (!/^\d+$/.test(options.maxAge)) throw new UsageError('--max-age takes a number of days');
  const policy = readPolicy(options.policy);
  const { jwk } = await loadRootKey(options.rootKey, true);
  try {
    const { decision, updatedAt } = await ask(id, policy, jwk, options);
    if (options.json) emit({ ...decision, updatedAt });
    sayDecision(id, decision, updatedAt);
    return decision.accepted ? 0 : 1;
  } catch (error) {
    if (error instanceof RegistryError)
      throw new TreeRejected(`${error.code}: ${error.message}`, { cause: error });
    throw error;
  }
}

async function ask(id: string, policy: TrustPolicy, rootKey: RootJwk, { source, maxAge }: Options) {
  const seconds = Number(maxAge) * 24 * 60 * 60;
  const answer = (registry: Registry) => ({
    decision: registry.decide(id, policy),
    updatedAt: registry.updatedAt,
  });
  const [first = ''] = source;
  if (source.length === 1 && isFolder(first)) {
    return answer(await openRegistry(first, { rootKey, maxAge: seconds }));
  }
  const wrong = source.find((one) => !isAddress(one));
  if (wrong !== undefined) throw new UsageError(`${wrong} is neither a folder nor an http(s) address`);
  const client = createRegistryClient({ sources: source, rootKey, maxAge: seconds });
  try {
    await client.ready();
    return answer(client);
  } finally {
    client.close();
  }
}

function readPolicy(file: string): TrustPolicy {
  const text = readText(file);
  try {
    const policy: unknown = JSON.parse(text);
    assertTrustPolicy(policy);
    return policy;
  } catch (cause) {
    throw new UsageError(`${file} is no trust policy: ${(cause as Error).message}`, { cause });
  }
}

function sayDecision(id: string, { accepted, reasons }: Decision, updatedAt: string): void {
  say(`${id} is ${accepted ? 'accepted' : 'REJECTED'} by the list of ${updatedAt}`);
  for (const { code, message } of reasons) say(`    ${code}: ${message}`);
}
