import type { Command } from 'commander';
import { publishCheckpoint } from '../checkpoint.js';
import { loadSigner } from '../key-file.js';
import { positiveNumber } from './freshness-options.js';
import { emit, say } from './output.js';
import { run } from './run.js';
import { passphraseFrom } from './signer-options.js';

interface Options {
  key: string;
  passphraseFile?: string;
  hours: string;
  json?: true;
}

/** Before a delegation ends, so many days ahead it is said. */
const WARN_DAYS = 14;

/** `passport-registry checkpoint` */
export function addCheckpointCommand(program: Command): void {
  program
    .command('checkpoint')
    .description('sign by an online key that the published list is the newest, for some hours')
    .argument('[dir]', 'folder of the tree', 'dist')
    .requiredOption('--key <file|env:NAME>', 'online key that the delegation names, or the root key')
    .option('--passphrase-file <file>', 'passphrase of an encrypted key; without it, it is asked for')
    .option('--hours <number>', 'for how long it holds', '24')
    .option('--json', 'report as JSON on stdout')
    .action((out: string, options: Options) => run(options.json === true, () => checkpoint(out, options)));
}

async function checkpoint(out: string, options: Options): Promise<undefined> {
  const hours = positiveNumber('--hours', options.hours);
  const signer = await loadSigner(options.key, passphraseFrom(options.passphraseFile));
  const report = await publishCheckpoint(out, { signer, hours });
  if (options.json) emit({ ok: true, ...report });
  say(`${out}: the list of ${report.updatedAt} is vouched for until ${report.expires}`);
  const { delegationExpires } = report;
  if (delegationExpires === undefined) return undefined;
  const days = Math.floor((Date.parse(delegationExpires) - Date.now()) / (24 * 60 * 60 * 1000));
  if (days < WARN_DAYS) {
    say(
      `WARNING: the delegation ends at ${delegationExpires}, in ${days} days: make a new one with the root key`,
    );
  }
  return undefined;
}
