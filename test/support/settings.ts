import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** What only settings name: the key of checkpoints, and the key and the name of the log. */
interface SettingsOfKeys {
  readonly checkpoint?: string;
  readonly log?: string;
  readonly logPublicKey?: string;
  readonly origin?: string;
}

/** Settings as JSON, in place of the name of a file. */
const isText = (named: string | undefined): named is string => named?.startsWith('{') === true;

/** Returns the option with which one run of `cli` or `cliProcess` has these keys, besides the settings of its folder. */
export function withKeys({ checkpoint, log, logPublicKey, origin }: SettingsOfKeys): string[] {
  const signer = (key: string | undefined) => key && { signer: { key } };
  const settings = {
    checkpoint: signer(checkpoint) || undefined,
    log: (log ?? origin) && { origin, public_key: logPublicKey, ...(signer(log) || {}) },
  };
  return ['--config', JSON.stringify(settings)];
}

/** How long commands wait for witnesses in tests, in seconds: a test whose witness is away waits as long. */
const COSIGN_WAIT = '3';
const ASK_WITNESSES = /^(?:build|attach|checkpoint|hold|suspend|revoke|keys rotate)$/;

/** Returns the arguments of a command that asks witnesses with a short wait for them, unless they name one. */
function withShortWait(args: readonly string[]): readonly string[] {
  const words = args[0] === 'keys' ? 2 : 1;
  if (!ASK_WITNESSES.test(args.slice(0, words).join(' ')) || args.includes('--cosign-wait')) return args;
  return [...args.slice(0, words), '--cosign-wait', COSIGN_WAIT, ...args.slice(words)];
}

/**
 * Runs a command with the settings that {@link withKeys} put into its arguments, as often as it did. They are added to those
 * of the file that the arguments name, or else of registry.yaml, in a file beside it that exists for this run only.
 * The command waits for witnesses only shortly.
 */
export async function withSettings<T>(
  given: readonly string[],
  cwd: string,
  command: (args: readonly string[]) => Promise<T>,
): Promise<T> {
  const args = withShortWait(given);
  const named = args.filter((_arg, index) => args[index - 1] === '--config');
  if (!named.some(isText)) return command(args);
  const base = named.find((name) => !isText(name)) ?? 'registry.yaml';
  const settings = existsSync(join(cwd, base)) ? (parse(readFileSync(join(cwd, base), 'utf8')) ?? {}) : {};
  for (const text of named.filter(isText)) {
    for (const [section, values] of Object.entries(JSON.parse(text)))
      settings[section] = { ...settings[section], ...(values as object) };
  }
  const file = join(dirname(base), `settings-${randomUUID()}.yaml`);
  writeFileSync(join(cwd, file), JSON.stringify(settings));
  const others = args.filter((arg, index) => arg !== '--config' && args[index - 1] !== '--config');
  try {
    return await command([...others, '--config', file]);
  } finally {
    rmSync(join(cwd, file), { force: true });
  }
}
