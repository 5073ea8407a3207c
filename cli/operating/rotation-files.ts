import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { IoFailed } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { loadRootKey } from '../../generator/signing/key-file.js';

/** The folder of a rotation, unless `keys rotate` is given another one. */
export const ROTATION_FOLDER = 'rotation';

/** The files in the folder of a rotation. */
export const ROTATION_FILES = {
  outgoing: 'outgoing.json',
  next: 'next.json',
  step: 'step.jwt',
} as const;

/** What a rotation has made so far. All of it is public. */
export interface RotationFiles {
  readonly folder: string;
  /** The public key that the rotation replaces. */
  readonly outgoing: RootKey | undefined;
  /** The public key that replaces it. */
  readonly next: RootKey | undefined;
  /** The rotation step, a JWT. */
  readonly step: string | undefined;
}

/** Reads the folder of a rotation, which need not exist. @throws {@link KeyRejected} | {@link IoFailed} */
export async function readRotationFiles(folder: string, env: NodeJS.ProcessEnv): Promise<RotationFiles> {
  const at = (name: keyof typeof ROTATION_FILES) => {
    const path = join(folder, ROTATION_FILES[name]);
    return existsSync(path) ? path : undefined;
  };
  const key = async (path: string | undefined) => path && loadRootKey(path, env);
  const text = (path: string | undefined) => path && readText(path).trim();
  return {
    folder,
    outgoing: (await key(at('outgoing'))) || undefined,
    next: (await key(at('next'))) || undefined,
    step: text(at('step')),
  };
}

/** Writes one file of a rotation. @throws {@link IoFailed} */
export function writeRotationFile(folder: string, name: keyof typeof ROTATION_FILES, text: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw new IoFailed(`${folder} cannot be created: ${(cause as Error).message}`, { cause });
  }
  writeWholeFile(join(folder, ROTATION_FILES[name]), `${text}\n`);
}
