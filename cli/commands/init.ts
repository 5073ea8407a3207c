import { basename, relative, resolve } from 'node:path';
import { isLoopback } from '@passport-registry/verifier/http';
import { Argument, type Command } from 'commander';
import { ConfigurationRejected } from '../../generator/errors.js';
import { configuredEmail, workTreeAround } from '../../generator/files/git.js';
import type { RegistryFile } from '../../generator/generated/settings.js';
import { isReservedName } from '../../generator/review/reserved-names.js';
import { addOptions, BASE_URL_OPTION } from '../options/common-options.js';
import {
  NEW_PASSPHRASE_OPTIONS,
  type NewKeyPassphraseOptions,
  newKeyPassphrase,
} from '../options/new-key-options.js';
import { CONFIGURATION_FILE, parseRegistrySettings } from '../options/settings.js';
import { namedTool, runningTool } from '../scaffold/pinned-tool.js';
import { type NewSettings, type RequiredSetting, registryYaml } from '../scaffold/registry-settings.js';
import {
  type RegistryFolder,
  ROOT_KEY_FILE,
  registryFolder,
  writeRegistry,
} from '../scaffold/write-registry.js';
import { interview, type Question } from '../terminal/ask.js';
import { sayDiagnostics } from '../terminal/diagnostics.js';
import { count, type Io, say } from '../terminal/io.js';
import { shellWord } from '../terminal/paths.js';

interface Options extends NewKeyPassphraseOptions {
  name?: string;
  contact?: string;
  baseUrl?: string;
  key?: string;
  tool?: string;
}

/** How `init` asks for the settings that every new registry has. */
const QUESTIONS: Readonly<Record<RequiredSetting, { option: string; question: string }>> = {
  name: { option: '--name', question: 'Name of the registry' },
  contact: { option: '--contact', question: 'E-mail address of the operator' },
  base_url: { option: '--base-url', question: 'URL where the registry will be published' },
};

/** Where `npm start` serves the registry. */
const LOCAL_URL = 'http://127.0.0.1:8080';

/** `passport-registry init` */
export function declareInit(command: Command, io: Io) {
  command
    .description('make the folder of a new registry; on a terminal, ask for missing values')
    .addArgument(new Argument('[folder]', 'folder to make').default('.', 'the current folder'))
    .option('--name <text>', 'name of the registry')
    .option('--contact <address>', 'e-mail address of the operator')
    .addOption(BASE_URL_OPTION)
    .option('--key <file>', 'private root key to make, in a new file outside of the folder');
  addOptions(command, ...NEW_PASSPHRASE_OPTIONS).option(
    '--tool <spec>',
    'the program to pin: an exact version, a tarball, or a git address with a commit',
  );
  return (folder: string, options: Options) => init(io, folder, options);
}

async function init(io: Io, named: string, options: Options): Promise<void> {
  const folder = registryFolder(named, options.key);
  const tool = options.tool === undefined ? runningTool() : namedTool(options.tool);
  const newPassphrase =
    options.key === undefined ? () => undefined : await newKeyPassphrase(io, options.key, options);
  const { name, contact, baseUrl } = options;
  const given = { name, contact, base_url: baseUrl };
  const settings = await allSettings(io, folder, { ...given, ...keySettings(folder) });
  parseRegistrySettings(CONFIGURATION_FILE, registryYaml(settings));
  const written = await writeRegistry({ folder, settings, tool }, { newPassphrase, env: io.env });
  say(io, `${named}: ${count(written.files, 'file')} written`);
  say(io, `program    passport-registry pinned to ${tool.spec}`);
  if (tool.note !== undefined) say(io, `           note: ${tool.note}`);
  sayBaseUrl(io, settings.base_url);
  if (written.thumbprint !== undefined) {
    say(io, `root key   ${written.thumbprint}`);
    say(io, `           ${options.key} holds the private key. Keep it secret, and keep two copies.`);
    if (!options.passphrase)
      say(
        io,
        '           WARNING: it is not encrypted (--no-passphrase). Anyone who finds the file can sign.',
      );
  }
  const top = workTreeAround(folder.path);
  if (top !== undefined && top !== folder.path)
    say(
      io,
      `note: this folder is in the git repository ${top}, and GitHub runs only the workflows at its top`,
    );
  sayNext(io, named, folder);
}

/** The settings for a root key. The path of the private key is relative to the folder. */
function keySettings({ path, rootKey }: RegistryFolder): RegistryFile {
  return rootKey === undefined ? {} : { root_key: ROOT_KEY_FILE, signer: { key: relative(path, rootKey) } };
}

/** Asks for the required settings that are missing. */
async function allSettings(io: Io, { path }: RegistryFolder, given: RegistryFile): Promise<NewSettings> {
  const settings: Record<string, unknown> = { ...given };
  const names = Object.keys(QUESTIONS) as RequiredSetting[];
  const missing = names.filter((name) => settings[name] === undefined);
  if (missing.length > 0) {
    // Invalid options are reported before the first question.
    parseRegistrySettings(CONFIGURATION_FILE, registryYaml(given));
    const flags = missing.map((name) => QUESTIONS[name].option).join(', ');
    const defaults = { name: basename(path), contact: configuredEmail(io.env), base_url: LOCAL_URL };
    await interview(io, `give ${flags}: there is no terminal to ask`, async (question) => {
      for (const name of missing)
        settings[name] = await askFor(io, question, { name, value: defaults[name] });
    });
  }
  return settings as NewSettings;
}

/** Asks for a setting until the answer is valid. */
async function askFor(
  io: Io,
  question: Question,
  { name, value }: { name: RequiredSetting; value: string | undefined },
): Promise<string> {
  const shown = value !== undefined && problemsOf({ [name]: value }) === undefined ? value : undefined;
  for (;;) {
    const text = `${QUESTIONS[name].question}${shown === undefined ? '' : ` [${shown}]`}: `;
    const answer = (await question(text)) || (shown ?? '');
    const problems = problemsOf({ [name]: answer });
    if (problems === undefined) return answer;
    sayDiagnostics(io, problems.diagnostics);
  }
}

function problemsOf(settings: RegistryFile): ConfigurationRejected | undefined {
  try {
    parseRegistrySettings(CONFIGURATION_FILE, registryYaml(settings));
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationRejected) return error;
    throw error;
  }
}

/** Warns of a URL at which nobody else can verify the registry, or at which a network can change the page. */
function sayBaseUrl(io: Io, baseUrl: string): void {
  const url = new URL(baseUrl);
  if (isLoopback(url)) return;
  const set = `set base_url in ${CONFIGURATION_FILE} before you publish`;
  if (isReservedName(url.hostname)) {
    say(
      io,
      `WARNING: ${url.hostname} is a name that is reserved for examples, and nobody can own it: ${set}`,
    );
  }
  if (url.protocol === 'http:') {
    say(io, `WARNING: ${baseUrl} is not https, so anyone on the way can change the page or block it: ${set}`);
  }
}

function sayNext(io: Io, named: string, { path }: RegistryFolder): void {
  const enter = path === resolve('.') ? '' : `cd ${shellWord(named)} && `;
  say(io, 'Next:');
  say(io, `  ${enter}npm install`);
  say(io, 'Then create records with `npx passport-registry new`, an id and --issuer-url, and look at them:');
  say(io, '  npm start');
  say(
    io,
    'README.md has the steps to publish the registry. CONTRIBUTING.md tells issuers how to get listed.',
  );
}
