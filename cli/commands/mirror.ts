import type { Command } from 'commander';
import { UsageError } from '../../generator/errors.js';
import { isAcceptable, type MirrorStatus, mirrorStatus } from '../../observers/hosts/mirror-status.js';
import { type MirrorReport, mirrorOnce } from '../../observers/mirroring/mirror.js';
import { EVERY_OPTION, JSON_OPTION, MAX_BEHIND_OPTION } from '../options/common-options.js';
import { loadTrust, TRUST_OPTION, trustFile, type WithTrust } from '../options/trust-option.js';
import { assertAddresses } from '../options/values.js';
import { count, emit, type Io, reportOutput, say, writeLine } from '../terminal/io.js';
import { repeatForever } from '../terminal/until-stopped.js';
import { addCommands, type Run } from './add-commands.js';

interface Options extends WithTrust {
  every?: number;
  json?: true;
}

interface StatusOptions extends WithTrust {
  maxBehind: number;
  json?: true;
}

/** `passport-registry mirror` */
export function declareMirror(command: Command, io: Io, run: Run) {
  command
    .description('download the tree of a registry, verify it, and switch to it with one rename')
    .argument('<source>', 'URL of the registry')
    .argument('<dir>', 'folder of the mirror; a host serves `current` in it')
    .addOption(TRUST_OPTION)
    .addOption(EVERY_OPTION)
    .addOption(JSON_OPTION);
  addCommands(command, run, {
    status: {
      summary: 'compare a registry with its mirrors',
      examples: [
        'mirror status https://registry.example https://mirror.example --trust-anchor trust-anchor.json',
        'mirror status --max-behind 600',
      ],
      load: async () => declareMirrorStatus,
    },
  });
  return async (source: string, folder: string, options: Options) => {
    // The web server, which runs as another user, must be able to read the files.
    const umask = process.umask(0o022);
    return mirror(io, { source, folder }, options).finally(() => process.umask(umask));
  };
}

function declareMirrorStatus(command: Command, io: Io) {
  command
    .argument('[url...]', 'the registry, then its mirrors (default: base_url and mirrors of registry.yaml)')
    .addOption(TRUST_OPTION)
    .addOption(MAX_BEHIND_OPTION)
    .addOption(JSON_OPTION);
  // Options before the name of the subcommand also apply.
  return (urls: string[], _own: StatusOptions, command: Command) =>
    status(io, urls, command.optsWithGlobals());
}

async function loadPinned(io: Io, options: WithTrust) {
  const file = trustFile(options);
  if (file !== undefined) return loadTrust(io, file);
  throw new UsageError(
    'mirror needs --trust-anchor, the file that `pin` writes, or root_key in registry.yaml',
    {
      see: 'docs/mirrors.md#copy-the-registry',
    },
  );
}

async function mirror(
  io: Io,
  route: { readonly source: string; readonly folder: string },
  options: Options,
): Promise<number> {
  const trust = await loadPinned(io, options);
  assertAddresses([route.source]);
  const once = async () => {
    const report = await mirrorOnce({ ...route, trust });
    if (options.json) emit(io, { ok: true, ...report });
    sayMirrored(io, report);
  };
  const { every: seconds, json = false } = options;
  if (seconds !== undefined) return repeatForever(io, { seconds, json }, once);
  await once();
  return 0;
}

function sayMirrored(io: Io, report: MirrorReport): void {
  const { switched, updatedAt, issuers, fetched, bytes, repaired, warnings, notes } = report;
  let what = 'unchanged:';
  if (switched) what = 'switched to';
  else if (repaired) what = 'repaired:';
  say(
    io,
    `mirror ok: ${what} the list of ${updatedAt}, ${count(issuers, 'issuer')}, ${count(fetched, 'file')} fetched, ${count(bytes, 'byte')}`,
  );
  if (repaired) say(io, 'WARNING: the release being served was damaged on this disk, and has been replaced');
  for (const warning of warnings) say(io, `WARNING: ${warning}`);
  for (const { message } of notes) say(io, `note: ${message}`);
}

async function status(io: Io, named: readonly string[], options: StatusOptions): Promise<number> {
  const urls = named.length > 0 ? named : configuredUrls(options);
  assertAddresses(urls);
  const trust = await loadPinned(io, options);
  const mirrors = await mirrorStatus(urls, trust);
  const ok = mirrors.every((mirror) => isAcceptable(mirror, options.maxBehind));
  if (options.json) emit(io, { ok, mirrors });
  const output = reportOutput(io, options.json);
  for (const mirror of mirrors) writeLine(output, formatStatus(mirror));
  return ok ? 0 : 1;
}

function configuredUrls({ settings: { base_url, mirrors = [] } }: StatusOptions): readonly string[] {
  if (base_url !== undefined) return [base_url, ...mirrors];
  throw new UsageError(
    'name the URL of the registry and those of its mirrors, or set base_url and mirrors in registry.yaml',
  );
}

function formatStatus({ url, state, sequence, updatedAt, behind, problem }: MirrorStatus): string {
  const by = state === 'behind' ? ` by ${behind} s` : '';
  const place = sequence === undefined ? '' : ` publication ${sequence}, list of ${updatedAt}`;
  return `${(state + by).padEnd(16)} ${url}${place}${problem === undefined ? '' : `: ${problem}`}`;
}
