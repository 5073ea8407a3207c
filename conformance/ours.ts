import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { assertTrustAnchor, decide, RegistryError, verifyList } from '@passport-registry/verifier';
import { importAnchorRoot, limitOf } from '@passport-registry/verifier/core';
import { GeneratorError } from '../generator/errors.js';
import { type PinnedTrust, pinnedAnchor } from '../generator/verification/pinned-trust.js';
import { folderSource } from '../generator/verification/tree-source.js';
import { verifyTree } from '../generator/verification/verify.js';
import { mirrorFolder } from './roles/mirror.js';
import { PageReader } from './roles/page.js';
import {
  ANY,
  type Answer,
  Answerer,
  anchorOf,
  type FilesOf,
  type Message,
  portableRoles,
  type Roles,
  type Verifier,
} from './roles/portable.js';
import { type Program, ProgramFault } from './runner/program.js';

/**
 * The verifiers of this project, for the runner: in its process, or as a program of its own.
 *
 *     node build/conformance/ours.js          # all six roles
 *     node build/conformance/ours.js mirror   # the mirror, in place of an auditor
 *     node build/conformance/ours.js page     # the page in Chromium, in place of a client
 */

function readLimited(folder: string, path: string): Uint8Array {
  const bytes = readFileSync(join(folder, path));
  if (bytes.length > limitOf(path)) throw new RegistryError('ERR_SOURCE_TOO_LARGE', `${path} is too large`);
  return bytes;
}

async function list({ anchor, folder, now, ask = [], policy = ANY }: Message): Promise<Answer> {
  const trusted: unknown = anchorOf(anchor);
  assertTrustAnchor(trusted);
  const rootKey = await importAnchorRoot(trusted);
  const signature = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const [bytes, sig] = ['issuers.json', 'issuers.sig'].map((path) => readLimited(folder, path));
  let text = '';
  try {
    text = signature.decode(sig);
  } catch {
    return { verdict: 'refuse', code: 'ERR_SIGNATURE_MALFORMED' };
  }
  const { registry } = await verifyList({ list: bytes as Uint8Array, signature: text, rootKey });
  const records = new Map(registry.issuers.map((one) => [one.issuer_id, one]));
  return { verdict: 'accept', trusted: ask.filter((id) => decide(records.get(id), policy, now).accepted) };
}

/** Pins the trust anchor of a case, as `--trust-anchor` does. */
function pinnedTrust(text: string): Promise<PinnedTrust> {
  const trusted: unknown = anchorOf(text);
  assertTrustAnchor(trusted);
  return pinnedAnchor(trusted);
}

async function auditor({ anchor, folder, now }: Message): Promise<Answer> {
  const trust = await pinnedTrust(anchor);
  const report = await verifyTree(folderSource(folder), trust.rootKey, {
    ...{ ...trust, now: () => now },
  });
  if (report.ok) return { verdict: 'accept' };
  return { verdict: 'refuse', code: report.checks.flatMap(({ code }) => code ?? []) };
}

/** The files of a copy. The verifier itself enforces their limits. */
const copyIn: FilesOf = ({ folder }) => ({
  get: async (path) => {
    const file = join(folder, path);
    return existsSync(file) ? readFileSync(file) : undefined;
  },
});

const START: Roles = { list: () => list, auditor: () => auditor, ...portableRoles(copyIn) };

/** Mirrors a tree: it accepts what it would serve. */
async function mirror({ anchor, folder, now }: Message): Promise<Answer> {
  await mirrorFolder(folder, await pinnedTrust(anchor), now);
  return { verdict: 'accept' };
}

/** A program for the runner, of some roles. */
class Ours extends Answerer implements Program {
  readonly #close: () => void;

  constructor(start: Roles, close: () => void = () => undefined) {
    super(start, [RegistryError, GeneratorError]);
    this.#close = close;
  }

  override async ask(message: { readonly id: number }): Promise<Record<string, unknown>> {
    try {
      return await super.ask(message);
    } catch (error) {
      throw new ProgramFault(`has ended with ${error}`);
    }
  }

  assertSilent(): void {}

  override end(): void {
    super.end();
    this.#close();
  }
}

/** Starts our verifiers in this process. */
export const startOurs = (): Program => new Ours(START);

/** Starts the mirror in place of an auditor. */
export const startMirror = (): Program => new Ours({ auditor: () => mirror });

/**
 * Starts the page in Chromium in place of a client. It remembers nothing from step to step.
 *
 * @param open - opens a Chromium in place of a new one
 */
export function startPage(open?: ConstructorParameters<typeof PageReader>[0]): Program {
  const page = new PageReader(open);
  const client: Verifier = async ({ anchor, sources: [source = ''], now }) => {
    const code = await page.read({ anchor: anchorOf(anchor), source, now });
    return code === undefined ? { verdict: 'accept' } : { verdict: 'refuse', code };
  };
  return new Ours({ client: () => client }, () => void page.close());
}

const PROGRAMS: Readonly<Record<string, () => Program>> = {
  '': startOurs,
  mirror: startMirror,
  page: startPage,
};

async function serve(name: string): Promise<void> {
  const program = PROGRAMS[name]?.();
  if (program === undefined) throw new Error(`there is no program ${name}`);
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await program.ask(JSON.parse(line) as Message, 0);
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  program.end();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve(process.argv[2] ?? '');
