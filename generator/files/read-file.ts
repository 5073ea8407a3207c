import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { limitOf } from '@passport-registry/verifier/internal';
import { IoFailed } from '../errors.js';

/** The bytes of a file that the user has named. @throws {@link IoFailed} */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new IoFailed(`${file} cannot be read: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}

/** The text of a file that the user has named. @throws {@link IoFailed} */
export function readText(file: string): string {
  return readBytes(file).toString('utf8');
}

/**
 * A file of a tree in a folder, within the limit of its path. A file that is larger is not read at all.
 *
 * @param path - from the root of the tree
 * @returns undefined when there is nothing at the path
 * @throws {@link IoFailed} when something else than a file is there, or the file is too large or cannot be read
 */
export function readTreeFile(folder: string, path: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK a named pipe would be waited for.
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

/** As many bytes as the file had when it was looked at, or fewer if it has shrunk since. */
function readAll(descriptor: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (let read = -1; at < size && read !== 0; at += read)
    read = readSync(descriptor, bytes, at, size - at, null);
  return bytes.subarray(0, at);
}

/** A file of a tree; undefined when it is not there, or cannot be read. */
export function readIfThere(out: string, path: string): Buffer | undefined {
  try {
    return readTreeFile(out, path);
  } catch {
    // What cannot be read is written anew.
    return undefined;
  }
}
