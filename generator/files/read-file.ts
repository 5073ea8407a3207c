import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { limitOf, TREE_FILES } from '@passport-registry/verifier/core';
import { IoFailed } from '../errors.js';

/** The maximum size of a file that the user has named, in bytes: that of the largest file of a tree. */
const MAX_BYTES = limitOf(TREE_FILES.list);
/** The maximum size of a text that the user has named, such as a key or a configuration, in bytes. */
const MAX_TEXT_BYTES = limitOf('');

/** Reads a file that the user has named. @throws {@link IoFailed} if it is not a regular file, or is too large */
export function readBytes(file: string, maxBytes = MAX_BYTES): Buffer {
  const bytes = readRegularFile(file, file, maxBytes);
  if (bytes === undefined) throw new IoFailed(`${file} does not exist`);
  return bytes;
}

/** Reads a file that the user has named and that may not exist. @returns undefined if nothing exists at the path @throws {@link IoFailed} as {@link readBytes} */
export function readIfExists(file: string, maxBytes = MAX_TEXT_BYTES): Buffer | undefined {
  return readRegularFile(file, file, maxBytes);
}

/** Reads a file that the user has named, as UTF-8. @throws {@link IoFailed} as {@link readBytes} */
export function readText(file: string): string {
  return readBytes(file, MAX_TEXT_BYTES).toString('utf8');
}

/**
 * Reads a file of a tree in a folder. A file that exceeds the size limit of its path is not read at all.
 *
 * @param path - relative to the root of the tree
 * @returns undefined if nothing exists at the path
 * @throws {@link IoFailed} if the path is not a regular file, or if the file is too large or cannot be read
 */
export function readTreeFile(folder: string, path: string): Buffer | undefined {
  return readRegularFile(join(folder, path), path, limitOf(path));
}

/** What a shell passes to this process: standard input, and the pipe of a process substitution such as `<(age -d key)`. */
const INHERITED = /^\/dev\/(stdin|fd\/\d+)$/;

/** Reads a regular file. Any other file could block, or never end. @param name - in messages @returns undefined if nothing exists at the path */
function readRegularFile(file: string, name: string, maxBytes: number): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    const isInherited = INHERITED.test(file);
    // Without O_NONBLOCK, opening a named pipe would block.
    descriptor = openSync(file, constants.O_RDONLY | (isInherited ? 0 : constants.O_NONBLOCK));
    const stats = fstatSync(descriptor);
    const isPipe = isInherited && stats.isFIFO();
    if (!stats.isFile() && !isPipe)
      throw new IoFailed(`${name} is ${stats.isDirectory() ? 'a folder' : 'a device'}, not a file`);
    const tooLarge = () => new IoFailed(`${name} is larger than ${maxBytes} bytes`);
    if (stats.size > maxBytes) throw tooLarge();
    const bytes = readAll(descriptor, isPipe ? maxBytes + 1 : stats.size);
    if (bytes.length > maxBytes) throw tooLarge();
    return bytes;
  } catch (cause) {
    if (cause instanceof IoFailed) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new IoFailed(`${name} cannot be read: ${code}`, { cause });
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

/** Reads a file of a tree as {@link readTreeFile}, but never throws. @returns undefined if the file cannot be read, for whatever reason */
export function readIfReadable(folder: string, path: string): Buffer | undefined {
  try {
    return readTreeFile(folder, path);
  } catch {
    return undefined;
  }
}
