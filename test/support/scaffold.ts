import { join } from 'node:path';
import { expect } from 'vitest';
import { cli, type Outcome, temporaryFolder } from './workspace.js';

/** Options of `init` for the settings that every registry has. */
export const SETTINGS = [
  ...['--name', 'Nordic Agents Registry', '--contact', 'operator@registry.internal'],
  ...['--base-url', 'https://registry.internal'],
];

/** The option of `init` for the program, which `init` cannot pin when it runs from a checkout. */
export const TOOL = ['--tool', '1.0.0'];

/** Runs `init` in a folder. */
export function init(args: readonly string[], cwd: string): Promise<Outcome> {
  return cli(['init', ...TOOL, ...args], cwd);
}

/** Creates a registry with a root key beside it. Returns its folder. */
export async function newRegistry(): Promise<string> {
  const folder = temporaryFolder();
  const { code, stderr } = await init(
    ['registry', ...SETTINGS, '--key', 'root-key.pem', '--no-passphrase'],
    folder,
  );
  expect(code, stderr).toBe(0);
  return join(folder, 'registry');
}
