import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { installedPath } from './installed.js';
import { ROOT } from './paths.js';
import { type Outcome, run, temporaryFolder } from './workspace.js';

/**
 * Returns the blocks of shell commands between a heading of a document and the next heading, with other names in place of made-up
 * ones, which no production key signs: the documents tell their readers to write real ones.
 */
export function commandsBelow(document: string, heading: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const sections = text.split(/^#+ /m);
  const section = sections.find((one) => one.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${document} has no heading ${heading}`);
  const blocks = [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, commands]) => commands ?? '');
  if (blocks.length === 0) throw new Error(`${document} has no commands below ${heading}`);
  return blocks.map((block) => block.replaceAll(/\.alt\b/g, '.internal'));
}

/** The pages for operators: the entrance, and one page for each task. */
export const OPERATOR_PAGES = [
  'docs/operators.md',
  ...readdirSync(join(ROOT, 'docs/operators')).map((name) => `docs/operators/${name}`),
];

/** The pages for verifiers: the entrance, and one page for each topic. */
export const VERIFIER_PAGES = [
  'docs/verifiers.md',
  ...readdirSync(join(ROOT, 'docs/verifiers')).map((name) => `docs/verifiers/${name}`),
];

/** The text of all pages for verifiers. */
export const verifierText = (): string =>
  VERIFIER_PAGES.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n');

/** The text of all pages for operators. */
export const operatorText = (): string =>
  OPERATOR_PAGES.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n');

/** Returns the blocks of shell commands below a heading, which one page for operators has. */
export function operatorCommands(heading: string): string[] {
  const pages = OPERATOR_PAGES.filter((page) =>
    readFileSync(join(ROOT, page), 'utf8')
      .split(/^#+ /m)
      .some((one) => one.startsWith(`${heading}\n`)),
  );
  expect(pages, heading).toHaveLength(1);
  return commandsBelow(String(pages[0]), heading);
}

/** Creates the operator's own registry as the document says. test/packages/ runs npm. */
export async function ownRegistry(folder = temporaryFolder()): Promise<string> {
  const blocks = operatorCommands('A registry of your own');
  const commands = blocks.join('').replaceAll(/^ *npm .*$/gm, '');
  await sh(commands, folder);
  return join(folder, 'my-registry');
}

/**
 * Commands of a document as they run without a terminal, which would ask for the passphrase of a new key, and whether a registry
 * is new whose host does not answer, and from a checkout, which `init` cannot pin.
 */
export const withoutTerminal = (commands: string): string =>
  commands
    .replaceAll(
      /passport-registry init (\S+)[^\n&]*/g,
      "$& --tool 1.0.0 && sed -i.old '/^base_url:/d' $1/registry.yaml",
    )
    .replaceAll(/keys generate (?!--no-passphrase)/g, 'keys generate --no-passphrase ')
    .replaceAll(/passport-registry init .*--key \S+/g, '$& --no-passphrase');

/** Commands without the installation of tarballs, which test/packages/ runs. */
export const withoutInstall = (commands: string): string =>
  commands.replace(/^npm install (\.\/passport-registry-[\w.-]+\.tgz ?)+(&&)?\n/m, '');

/** Runs commands of a document with the program under test. They must succeed. */
export async function sh(commands: string, folder: string): Promise<Outcome> {
  const outcome = await run('sh', ['-euc', withoutTerminal(commands)], folder, {
    ...(await installedPath()),
    XDG_STATE_HOME: join(folder, 'state'),
  });
  expect(outcome.stderr).not.toContain('passport-registry:');
  expect(outcome.code, outcome.stdout + outcome.stderr).toBe(0);
  return outcome;
}
