import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { linkBasicPrograms } from './programs.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder for what all files of this run share. */
    readonly runFolder: string;
  }
}

/** Creates the folder of a run, with the basic programs and an empty home folder, and deletes it at the end. */
export default function runFolder(project: TestProject): () => void {
  const folder = mkdtempSync(join(project.config.env['TMPDIR'] ?? tmpdir(), 'passport-registry-run-'));
  for (const name of ['programs', 'home']) mkdirSync(join(folder, name));
  linkBasicPrograms(join(folder, 'programs'));
  project.provide('runFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
