import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as verifierNow from '@passport-registry/verifier';
import * as verifierForNodeNow from '@passport-registry/verifier/node';
import { DEPENDENCIES } from './packed.js';
import { ROOT } from './paths.js';
import { cli, type Outcome, run, temporaryFolder } from './workspace.js';

/** The version before this one. Its packages are in test/packages/before/. */
const BEFORE = '0.1.0';

/** A version of the packages. */
export interface Version {
  /** Runs the command line. Throws if the exit code is not 0. */
  cli(args: readonly string[], folder: string): Promise<Outcome>;
  /** Loads a registry with the client. Returns the status of each issuer. Throws if the client refuses the source. */
  client(options: ClientOptions): Promise<Statuses>;
  /** Opens a tree in a folder. Returns the status of each issuer. Throws if the tree is invalid. */
  offline(tree: string, rootKey: verifierNow.RootJwk): Promise<Statuses>;
}

/** The status of each issuer, by its id. */
type Statuses = Readonly<Record<string, string>>;

/** What a client needs. */
interface ClientOptions {
  readonly url: string;
  readonly rootKey: verifierNow.RootJwk;
  /** The file in which the client keeps its state between runs. */
  readonly state: string;
}

/** The version before this one, installed in a folder of its own. */
export async function versionBefore(): Promise<Version> {
  const folder = temporaryFolder();
  const extract = (tarball: string, name: string): string => {
    const target = join(folder, 'node_modules', name);
    mkdirSync(target, { recursive: true });
    const path = join(ROOT, 'test/packages/before', `${tarball}-${BEFORE}.tgz`);
    execFileSync('tar', ['-xzf', path, '--strip-components=1', '-C', target]);
    return target;
  };
  const generator = extract('passport-registry', 'passport-registry');
  const verifier = extract('passport-registry-verifier', '@passport-registry/verifier');
  for (const name of DEPENDENCIES) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  const program = join(generator, 'build/cli/main.js');
  return version(
    (args, cwd) => run(process.execPath, [program, ...args], cwd),
    await import(join(verifier, 'build/index.js')),
    await import(join(verifier, 'build/node/index.js')),
  );
}

/** This version. */
export function versionNow(): Version {
  return version(cli, verifierNow, verifierForNodeNow);
}

function version(
  program: Version['cli'],
  { createRegistryClient }: typeof verifierNow,
  { fileStore, openRegistry }: typeof verifierForNodeNow,
): Version {
  return {
    cli: async (args, folder) => {
      const outcome = await program(args, folder);
      if (outcome.code !== 0) throw new Error(outcome.stdout + outcome.stderr);
      return outcome;
    },
    client: async ({ url, rootKey, state }) => {
      const store = fileStore(state);
      const registry = createRegistryClient({ sources: [url], rootKey, store, requireCheckpoint: true });
      try {
        await registry.ready();
        // If the state has a list, the client is ready before it has asked the source.
        await registry.refresh();
        return statusesOf(registry);
      } catch (error) {
        throw Object.values(registry.status().errors)[0] ?? error;
      } finally {
        registry.close();
      }
    },
    offline: async (tree, rootKey) => statusesOf(await openRegistry(tree, { rootKey, maxAge: 3600 })),
  };
}

function statusesOf(registry: Pick<verifierNow.RegistryClient, 'list'>): Statuses {
  return Object.fromEntries(registry.list().map(({ issuer_id, status }) => [issuer_id, status]));
}
