import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder for what all files of this run share. */
    readonly runFolder: string;
  }
}

/** Creates the folder of a run, and deletes it at the end. */
export default function runFolder(project: TestProject): () => void {
  const folder = mkdtempSync(join(project.config.env['TMPDIR'] ?? tmpdir(), 'passport-registry-run-'));
  project.provide('runFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
