import { existsSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { printableJson } from '../../generator/diagnostics/printable.js';
import { UsageError } from '../../generator/errors.js';
import { isWithin } from '../../generator/files/walk.js';
import { generateKeyFile, type NewKeyOptions } from '../../generator/signing/key-file.js';
import type { PinnedTool } from './pinned-tool.js';
import { type NewSettings, registryYaml } from './registry-settings.js';
import { templateFiles } from './template.js';
import { assertNoConflict, writeNewFiles } from './write-new-files.js';

/** The folder of a new registry, and the file of its root key. */
export interface RegistryFolder {
  /** The folder with all links resolved. It need not exist. */
  readonly path: string;
  /** Where to make a root key, with all links resolved. */
  readonly rootKey: string | undefined;
}

/** The public root key, in the folder of the registry. */
export const ROOT_KEY_FILE = 'root.json';

/**
 * Resolves the folder of a new registry and the file of its root key.
 *
 * @throws {@link UsageError} if the folder is a file, if the file of the key exists, or if the file is in the folder,
 * where git or a backup of the folder would find the key
 */
export function registryFolder(folder: string, rootKey: string | undefined): RegistryFolder {
  const path = realPath(resolve(folder));
  if (existsSync(path) && !statSync(path).isDirectory()) throw new UsageError(`${folder} is not a folder`);
  if (rootKey === undefined) return { path, rootKey };
  const keyFolder = dirname(resolve(rootKey));
  if (!existsSync(keyFolder)) throw new UsageError(`the folder of --key, ${keyFolder}, does not exist`);
  const key = join(realPath(keyFolder), basename(resolve(rootKey)));
  if (isWithin(path, key)) {
    throw new UsageError(`--key ${rootKey} is in ${folder}: keep the private key in another folder`);
  }
  return { path, rootKey: key };
}

/** Resolves the links in a path whose last parts need not exist. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path));
}

/**
 * Writes the files of a new registry: all of them, or none. If a root key is wanted, makes it first.
 *
 * @returns the number of files, and the thumbprint of the root key
 * @throws {@link UsageError} | {@link IoFailed}
 */
export async function writeRegistry(
  { folder, settings, tool }: { folder: RegistryFolder; settings: NewSettings; tool: PinnedTool },
  options: NewKeyOptions,
): Promise<{ files: number; thumbprint: string | undefined }> {
  const { name, contact } = settings;
  const files = templateFiles({ name, contact, tool: tool.spec });
  files.set('registry.yaml', Buffer.from(registryYaml(settings)));
  if (tool.vendored !== undefined) files.set(tool.vendored.path, tool.vendored.bytes);
  if (tool.needsScripts) allowScripts(files);
  assertNoConflict(folder.path, files);
  // The public key is not known yet, so no existing file can be equal to it.
  if (folder.rootKey !== undefined && existsSync(join(folder.path, ROOT_KEY_FILE))) {
    throw new UsageError(`${folder.path} has ${ROOT_KEY_FILE} already: nothing was written`);
  }
  if (folder.rootKey === undefined) {
    writeNewFiles(folder.path, files);
    return { files: files.size, thumbprint: undefined };
  }
  const { jwk, thumbprint } = await generateKeyFile('Ed25519', folder.rootKey, options);
  files.set(ROOT_KEY_FILE, Buffer.from(`${printableJson(jwk)}\n`));
  try {
    writeNewFiles(folder.path, files);
  } catch (cause) {
    // Nobody has used the key yet.
    rmSync(folder.rootKey);
    throw cause;
  }
  return { files: files.size, thumbprint };
}

function allowScripts(files: Map<string, Buffer>): void {
  for (const [path, bytes] of files) {
    if (!path.startsWith('.github/workflows/')) continue;
    files.set(path, Buffer.from(bytes.toString().replaceAll('npm ci --ignore-scripts', 'npm ci')));
  }
}
