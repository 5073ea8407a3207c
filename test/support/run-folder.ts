import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { linkBasicPrograms } from './programs.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder for what all files of this run share. */
    readonly runFolder: string;
    /** The URL of a host that has no file. */
    readonly emptyHost: string;
  }
}

/** Creates what all files of a run share: a folder with the basic programs and an empty home folder, and a host that has no file. */
export default async function runFolder(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(project.config.env['TMPDIR'] ?? tmpdir(), 'passport-registry-run-'));
  for (const name of ['programs', 'home']) mkdirSync(join(folder, name));
  linkBasicPrograms(join(folder, 'programs'));
  project.provide('runFolder', folder);
  const host = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  project.provide('emptyHost', `http://127.0.0.1:${(host.address() as AddressInfo).port}`);
  return () => {
    host.close();
    rmSync(folder, { recursive: true, force: true });
  };
}
