import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as verifierNow from '@passport-registry/verifier';
import * as verifierForNodeNow from '@passport-registry/verifier/node';
import { madeOnce } from './made-once.js';
import { DEPENDENCIES } from './packed.js';
import { ROOT } from './paths.js';
import { type CommandLine, cleanEnvironment, cli, cliWith, type Outcome } from './workspace.js';

/** The version before this one. Its packages are in test/packages/before/. */
const BEFORE = '0.2.0';

/** A version of the packages. */
export interface Version {
  readonly name: 'before' | 'now';
  /** Runs the command line. Throws if the exit code is not 0. */
  cli(args: readonly string[], folder: string): Promise<Outcome>;
  /** Loads a registry with the client. Throws if the client refuses the source. */
  client(options: ClientOptions): Promise<Read>;
  /** Looks up issuers one by one. Throws if the source is refused. */
  lookup(options: ClientOptions, ids: readonly string[]): Promise<Read>;
  /** Opens a tree in a folder. Throws if the tree is invalid. */
  offline(tree: string, trustAnchor: verifierNow.TrustAnchor): Promise<Read>;
}

/** What a verifier says of the issuers, by id: the status, or `on hold`. */
export type Read = Readonly<Record<string, string>>;

/** What a client needs. */
export interface ClientOptions {
  readonly url: string;
  readonly trustAnchor: verifierNow.TrustAnchor;
  /** The file in which the client keeps its state between runs. */
  readonly state: string;
}

/** The version before this one, installed in a folder of its own. */
export async function versionBefore(): Promise<Version> {
  const installed = await madeOnce('version-before', installBefore);
  const generator = join(installed, 'node_modules/passport-registry');
  const verifier = join(installed, 'node_modules/@passport-registry/verifier');
  const program: CommandLine = await import(join(generator, 'build/cli/in-process.js'));
  return version(
    'before',
    (args, cwd) => cliWith(args, cwd, { env: cleanEnvironment(), stdin: '', program }),
    {
      ...(await import(join(verifier, 'build/index.js'))),
      ...(await import(join(verifier, 'build/node/index.js'))),
    },
  );
}

async function installBefore(folder: string): Promise<void> {
  const extract = (tarball: string, name: string): string => {
    const target = join(folder, 'node_modules', name);
    mkdirSync(target, { recursive: true });
    const path = join(ROOT, 'test/packages/before', `${tarball}-${BEFORE}.tgz`);
    execFileSync('tar', ['-xzf', path, '--strip-components=1', '-C', target]);
    return target;
  };
  const generator = extract('passport-registry', 'passport-registry');
  extract('passport-registry-verifier', '@passport-registry/verifier');
  for (const name of DEPENDENCIES) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  // The command line as a function, as that of this version: without what makes a process of it, at the end of the file.
  const [program] = readFileSync(join(generator, 'build/cli/main.js'), 'utf8').split(
    /^\/\/ \S+\/cli\/bin\.ts$/m,
  );
  writeFileSync(join(generator, 'build/cli/in-process.js'), `${program}export { main };\n`);
}

/** This version. */
export function versionNow(): Version {
  return version('now', cli, { ...verifierNow, ...verifierForNodeNow });
}

function version(
  name: Version['name'],
  program: Version['cli'],
  library: typeof verifierNow & typeof verifierForNodeNow,
): Version {
  const { createIssuerLookup, createRegistryClient, fileStore, openRegistry } = library;
  const optionsOf = ({ url, trustAnchor, state }: ClientOptions) => ({
    ...{ sources: [url], trustAnchor, store: fileStore(state) },
  });
  return {
    name,
    cli: async (args, folder) => {
      const outcome = await program(args, folder);
      if (outcome.code !== 0) throw new Error(outcome.stdout + outcome.stderr);
      return outcome;
    },
    client: async (options) => {
      const registry = createRegistryClient(optionsOf(options));
      try {
        await registry.ready();
        // If the state has a list, the client is ready before it has asked the source.
        await registry.refresh();
        return readingOf(registry);
      } catch (error) {
        throw Object.values(registry.status().errors)[0] ?? error;
      } finally {
        registry.close();
      }
    },
    lookup: async (options, ids) => {
      const lookup = createIssuerLookup(optionsOf(options));
      try {
        const decisions = await Promise.all(ids.map((id) => lookup.decide(id, ANYBODY)));
        return Object.fromEntries(ids.map((id, at) => [id, saidOf(decisions[at])]));
      } catch (error) {
        throw Object.values(lookup.status().errors)[0] ?? error;
      } finally {
        lookup.close();
      }
    },
    offline: async (tree, trustAnchor) => readingOf(await openRegistry(tree, { trustAnchor, maxAge: 3600 })),
  };
}

const ANYBODY: verifierNow.TrustPolicy = { tiers: ['founding', 'certified'] };

function readingOf(registry: Pick<verifierNow.RegistryClient, 'list' | 'decide'>): Read {
  return Object.fromEntries(
    registry.list().map(({ issuer_id }) => [issuer_id, saidOf(registry.decide(issuer_id, ANYBODY))]),
  );
}

const saidOf = (decision: verifierNow.Decision | undefined): string =>
  decision?.accepted === true ? 'accepted' : (decision?.reasons[0]?.code ?? 'nothing');
