import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { limitOf } from '@passport-registry/verifier/internal';
import { IoFailed } from '../errors.js';

/** Reads a file that the user has named. @throws {@link IoFailed} */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code}`;
    throw new IoFailed(`${file} ${problem}`, { cause });
  }
}

/** Reads a file that the user has named, as UTF-8. @throws {@link IoFailed} */
export function readText(file: string): string {
  return readBytes(file).toString('utf8');
}

/**
 * Reads a file of a tree in a folder. A file that exceeds the size limit of its path is not read at all.
 *
 * @param path - relative to the root of the tree
 * @returns undefined if nothing exists at the path
 * @throws {@link IoFailed} if the path is not a regular file, or if the file is too large or cannot be read
 */
export function readTreeFile(folder: string, path: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, opening a named pipe would block.
    descriptor = openSync(join(folder, path), constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile())
      throw new IoFailed(`${path} is ${stats.isDirectory() ? 'a folder' : 'a device'}, not a file`);
    if (stats.size > limitOf(path)) throw new IoFailed(`${path} is larger than ${limitOf(path)} bytes`);
    return readAll(descriptor, stats.size);
  } catch (cause) {
    if (cause instanceof IoFailed) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new IoFailed(`${path} cannot be read: ${code}`, { cause });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Reads at most `size` bytes: the size of the file when it was checked, or less if the file has shrunk since. */
function readAll(descriptor: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (let read = -1; at < size && read !== 0; at += read)
    read = readSync(descriptor, bytes, at, size - at, null);
  return bytes.subarray(0, at);
}

/** Reads a file of a tree. Undefined if the file does not exist or cannot be read. */
export function readIfThere(out: string, path: string): Buffer | undefined {
  try {
    return readTreeFile(out, path);
  } catch {
    return undefined;
  }
}
