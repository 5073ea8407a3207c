import { chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CLI } from './paths.js';
import { temporaryFolder, writeFiles } from './workspace.js';

let folder: string | undefined;

/**
 * Returns a PATH in which `npx passport-registry` and `passport-registry` run the program under test, as in a folder
 * that has the package installed. test/packages/ has the tests of real installations.
 *
 * @param path - the PATH for all other programs
 */
export function installedPath(path = process.env['PATH'] ?? ''): Record<'PATH', string> {
  if (folder === undefined) {
    folder = temporaryFolder();
    const program = `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`;
    const npx = `#!/bin/sh\nif test "$1" = --package; then shift 2; fi\ntest "$1" = passport-registry || { echo "npx would download $1" >&2; exit 1; }\nshift\nexec '${process.execPath}' '${CLI}' "$@"\n`;
    writeFiles(folder, { 'passport-registry': program, npx });
    for (const name of ['passport-registry', 'npx']) chmodSync(join(folder, name), 0o755);
  }
  return { PATH: `${folder}${delimiter}${path}` };
}
