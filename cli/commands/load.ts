import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { UsageError } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { rememberRead } from '../../generator/publishing/read-at-url.js';
import { PATHS } from '../../generator/tree/paths.js';
import { rootKeyOf } from '../../generator/tree/published-tree.js';
import { type PinnedTrust, pinnedKey } from '../../generator/verification/pinned-trust.js';
import { type LoadReport, loadTree } from '../../observers/mirroring/load-tree.js';
import { JSON_OPTION, OUT_OPTION } from '../options/common-options.js';
import { loadTrust, TRUST_OPTION, trustFile, type WithTrust } from '../options/trust-option.js';
import { assertAddresses } from '../options/values.js';
import { count, emit, type Io, say } from '../terminal/io.js';

interface Options extends WithTrust {
  out: string;
  json?: true;
}

/** `passport-registry load` */
export function declareLoad(command: Command, io: Io) {
  command
    .description(
      'bring the tree to what the registry serves: download it, verify it, and move away what it replaces',
    )
    .argument(
      '[source]',
      'URL of the registry or of a mirror, or a folder (default: base_url of registry.yaml)',
    )
    .addOption(OUT_OPTION)
    .addOption(TRUST_OPTION)
    .addOption(JSON_OPTION);
  return async (source: string | undefined, options: Options) => {
    // Web servers, which run as other users, must be able to read the files.
    const umask = process.umask(0o022);
    return load(io, source, options).finally(() => process.umask(umask));
  };
}

async function load(io: Io, named: string | undefined, options: Options): Promise<number> {
  const { out, settings } = options;
  const source = named ?? settings.base_url;
  if (source === undefined) throw new UsageError('name a source, or set base_url in registry.yaml');
  if (!existsSync(source)) assertAddresses([source]);
  const trust = await trustIn(io, options);
  const report = await loadTree({ source, out, trust });
  const statements = readIfReadable(out, PATHS.statements);
  if (source === settings.base_url && statements !== undefined) await rememberRead(statements, trust.rootKey);
  const ok = report.released?.length === 0;
  if (options.json) emit(io, { ok, out, ...report });
  sayLoaded(io, out, report);
  return ok ? 0 : 1;
}

/** The trust anchor or root key that the options name, or else the root key of the tree. */
async function trustIn(io: Io, options: Options): Promise<PinnedTrust> {
  const { out } = options;
  const file = trustFile(options);
  if (file !== undefined) return loadTrust(io, file);
  const own = await rootKeyOf(readIfReadable(out, PATHS.rootKey));
  if (own !== undefined) return pinnedKey(own);
  throw new UsageError(`${out} has no root key: pass --trust-anchor, or set root_key in registry.yaml`);
}

function sayLoaded(io: Io, out: string, report: LoadReport): void {
  const { updatedAt, issuers, fetched, bytes, unchanged, movedTo, released } = report;
  const what = unchanged ? 'unchanged, ' : '';
  say(
    io,
    `${out}: ${what}the list of ${updatedAt}, ${count(issuers, 'issuer')}, ${count(fetched, 'file')} fetched, ${count(bytes, 'byte')}`,
  );
  if (movedTo !== undefined) say(io, `what it replaces is in ${movedTo}`);
  for (const { issuer_id, was } of released ?? [])
    say(
      io,
      `WARNING: ${issuer_id} was ${was} there, and is not in ${out}: hold or suspend it if it should be`,
    );
  if (released === undefined)
    say(io, `WARNING: the tree in ${movedTo} is damaged, so which issuers it stopped is not known`);
}
