import type { Command } from 'commander';
import { UsageError } from '../../errors.js';
import { type MirrorReport, mirrorOnce } from '../../mirroring/mirror.js';
import { type MirrorStatus, mirrorStatus } from '../../mirroring/status.js';
import { loadRootKey } from '../../signing/key-file.js';
import { positiveNumber } from '../options/positive-number.js';
import { count, emit, say } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { repeatForever } from '../terminal/watch.js';

interface Options {
  rootKey?: string;
  maxAge: string;
  watch?: string;
  json?: true;
}

interface StatusOptions {
  rootKey?: string;
  maxBehind: string;
  json?: true;
}

/** `passport-registry mirror` and `mirror status` */
export function addMirrorCommand(program: Command): void {
  const mirror = program
    .command('mirror')
    .description('take over what a registry publishes, verified, and switch to it by one rename')
    .argument('<source>', 'address of the registry, or what rsync takes')
    .argument('<dir>', 'folder of the mirror; a host serves `current` in it')
    .option('--root-key <file>', 'public JWK of the root key that you trust')
    .option('--max-age <days>', 'largest age of a list that has no checkpoint', '30')
    .option('--watch <seconds>', 'go on, and look again after so long')
    .option('--json', 'report as JSON on stdout')
    .action((source: string, folder: string, options: Options) =>
      run(options.json === true, () => mirrorAndReport(source, folder, options)),
    );
  mirror
    .command('status')
    .description('compare a registry with its mirrors')
    .argument('<url...>', 'the registry, then its mirrors')
    .option('--root-key <file>', 'public JWK of the root key that you trust')
    .option('--max-behind <seconds>', 'how far a mirror may be behind', '3600')
    .option('--json', 'report as JSON on stdout')
    // A subcommand inherits what was given before its name.
    .action((urls: string[], _own: StatusOptions, command: Command) =>
      run(command.optsWithGlobals()['json'] === true, () => status(urls, command.optsWithGlobals())),
    );
}

async function pinned(rootKey: string | undefined) {
  if (rootKey !== undefined) return loadRootKey(rootKey, true);
  throw new UsageError('a mirror needs --root-key: without it, it would pass on whatever it gets');
}

async function mirrorAndReport(source: string, folder: string, options: Options): Promise<number> {
  // A web server runs as another user.
  process.umask(0o022);
  const rootKey = await pinned(options.rootKey);
  const maxAge = positiveNumber('--max-age', options.maxAge);
  const once = async () => {
    const report = await mirrorOnce({ source, folder, rootKey, maxAge });
    if (options.json) emit({ ok: true, ...report });
    sayMirrored(report);
  };
  if (options.watch !== undefined) return repeatForever(positiveNumber('--watch', options.watch), once);
  await once();
  return 0;
}

function sayMirrored({
  switched,
  updatedAt,
  issuers,
  fetched,
  bytes,
  repaired,
  warnings,
}: MirrorReport): void {
  const what = switched ? 'switched to' : repaired.length > 0 ? 'repaired:' : 'unchanged:';
  say(
    `mirror ok: ${what} the list of ${updatedAt}, ${count(issuers, 'issuer')}, ${count(fetched, 'file')} fetched, ${count(bytes, 'byte')}`,
  );
  for (const path of repaired.slice(0, MAX_PATHS))
    say(`WARNING: ${path} was damaged on this disk and is whole again`);
  if (repaired.length > MAX_PATHS) say(`WARNING: and ${repaired.length - MAX_PATHS} more`);
  for (const warning of warnings) say(`WARNING: ${warning}`);
}

/** How many damaged files are named. */
const MAX_PATHS = 10;

async function status(urls: readonly string[], options: StatusOptions): Promise<number> {
  const limit = positiveNumber('--max-behind', options.maxBehind);
  const mirrors = await mirrorStatus(urls, await pinned(options.rootKey));
  const ok = mirrors.every(({ state, behind = 0 }) =>
    ['primary', 'in sync', 'ahead'].includes(state) ? true : state === 'behind' && behind <= limit,
  );
  if (options.json) emit({ ok, mirrors });
  for (const mirror of mirrors) say(line(mirror));
  return ok ? 0 : 1;
}

function line({ url, state, updatedAt, behind, problem }: MirrorStatus): string {
  const by = state === 'behind' ? ` by ${behind} s` : '';
  return `${(state + by).padEnd(16)} ${url}${updatedAt === undefined ? '' : ` ${updatedAt}`}${problem === undefined ? '' : `: ${problem}`}`;
}
