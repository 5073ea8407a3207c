import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { build } from '../../generator/build.js';
import { privateFolder } from '../../generator/files/private-folder.js';
import { ISSUERS_OPTION, portOption } from '../options/common-options.js';
import { descriptionOf } from '../options/publication-choices.js';
import type { WithSettings } from '../options/settings.js';
import { sayDiagnostics } from '../terminal/diagnostics.js';
import { count, type Io, say } from '../terminal/io.js';
import { serveAndSay } from './serve.js';

interface Options extends WithSettings {
  issuers: string;
  port: number;
}

/** `passport-registry preview` */
export function declarePreview(command: Command, io: Io) {
  command
    .description('show the records on this machine, signed by a development key and not published')
    .addOption(ISSUERS_OPTION)
    .addOption(portOption(8080));
  return (options: Options) => preview(io, options);
}

/**
 * Builds a tree with the development key in the private folder, which git ignores, and serves it. Reads no other key and no
 * published tree, so nothing in a preview lasts.
 */
async function preview(io: Io, { issuers, port, settings }: Options): Promise<void> {
  const directory = process.cwd();
  const out = join(privateFolder(directory), 'preview');
  // Nobody relies on an earlier preview: its records may be changed or removed.
  rmSync(out, { recursive: true, force: true });
  const signer = { production: false, directory, env: io.env };
  const report = await build({ issuers, out, signer, about: descriptionOf(settings) });
  sayDiagnostics(io, report.warnings);
  say(
    io,
    `*** PREVIEW of ${count(report.issuers, 'issuer')}: a development key signed it, and nothing was published.`,
  );
  say(
    io,
    '*** The root key and the published tree were not read. `passport-registry build` signs and publishes.',
  );
  return serveAndSay(io, out, port);
}
