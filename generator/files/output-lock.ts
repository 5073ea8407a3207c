import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { IoFailed } from '../errors.js';
import { type ProcessIdentity, stateOf, thisProcess } from './process-identity.js';

/** How often the owner of a lock shows that it is alive, in milliseconds. */
const HEARTBEAT_MS = 10_000;
/** The age of a heartbeat at which an owner that cannot be looked up counts as dead, in milliseconds. */
const DEAD_AFTER_MS = 10 * 60_000;

/**
 * Runs some work while nobody else works on the same output folder: no other process, no other container that shares the
 * folder, and no other call in this process. The lock is the staging folder beside the output folder. A lock whose owner
 * has died is taken over.
 *
 * @throws {@link IoFailed} when somebody else is at work
 */
export async function withOutputLock<T>(out: string, work: (staging: string) => Promise<T>): Promise<T> {
  const staging = join(dirname(resolve(out)), `.${basename(resolve(out))}.staging`);
  const owner = JSON.stringify({ ...thisProcess(), call: calls++ });
  acquire(staging, owner);
  const heartbeat = setInterval(() => beat(staging, owner), HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await work(staging);
  } finally {
    clearInterval(heartbeat);
    if (isOwnedBy(staging, owner)) removeWhole(staging);
  }
}

/** Tells two calls of one process apart. */
let calls = 0;

/** The lock appears by one rename, with its owner already in it. A folder that is not empty cannot be renamed over. */
function acquire(staging: string, owner: string): void {
  try {
    mkdirSync(dirname(staging), { recursive: true });
  } catch (cause) {
    throw new IoFailed(`${dirname(staging)} is not a folder and cannot be created`, { cause });
  }
  if (lstatSync(staging, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new IoFailed(`${staging} is in the way of the staging folder: remove it`);
  }
  try {
    removeDead(staging, owner);
    claim(staging, owner);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') {
      throw new IoFailed(
        `another build or mirror is running (${staging}): wait until it ends; if none is running, remove that folder`,
      );
    }
    throw new IoFailed(`the staging folder beside the output folder cannot be made: ${message}`, { cause });
  }
}

/** The file in a lock that names its owner. */
const OWNER = 'owner.json';

/** While this folder is there, its owner alone may remove a dead lock. */
const takeoverOf = (staging: string) => `${staging}-takeover`;

/**
 * Removes the lock of an owner that has died, and what such owners had begun to make. A lock can only appear where there is none, so
 * what is dead while we alone may remove it stays so until we have.
 */
function removeDead(staging: string, owner: string): void {
  const folder = dirname(staging);
  const ours = readdirSync(folder).filter((name) => isOurs(name, staging));
  for (const name of ours.filter(isGrave)) rmSync(join(folder, name), { recursive: true, force: true });
  const dead = ours.filter((name) => !isGrave(name) && isDead(join(folder, name)));
  if (dead.length === 0) return;
  const takeover = takeoverOf(staging);
  if (isDead(takeover)) removeWhole(takeover);
  claim(takeover, owner);
  try {
    for (const name of dead) {
      if (isDead(join(folder, name))) removeWhole(join(folder, name));
    }
  } finally {
    removeWhole(takeover);
  }
}

/** Removes a folder under another name: one that is killed while it removes must not leave half a lock, whose owner nobody knows. */
function removeWhole(folder: string): void {
  const grave = nameBeside(`${folder}-removed`);
  renameSync(folder, grave);
  rmSync(grave, { recursive: true, force: true });
}

/** Makes a folder that names its owner from the moment it is there: one rename, which fails over a folder that holds something. */
function claim(folder: string, owner: string): void {
  const fresh = nameBeside(folder);
  try {
    // Not recursively: that would say ENOENT where the file system is read-only.
    mkdirSync(fresh);
    writeFileSync(join(fresh, OWNER), owner);
    renameSync(fresh, folder);
  } catch (cause) {
    // Below something that is no folder even this fails, and there is nothing to remove.
    if (existsSync(fresh)) rmSync(fresh, { recursive: true });
    throw cause;
  }
}

/** A name beside a folder that nobody else uses: for what is made before the folder is there, or removed after it. */
function nameBeside(folder: string): string {
  return `${folder}-${process.pid}-${calls++}`;
}

/** What the names beside the lock add to its own, those beside the takeover, and those beside such a name. */
const BESIDE = /^(?:-takeover|-removed|-\d+-\d+)+$/;

/** Whether a folder is on its way out. Anybody may finish that, also while its owner lives. */
const isGrave = (name: string) => /-removed-\d+-\d+$/.test(name);

/** Whether a name is that of the lock, or of what an owner makes before it or removes after it. */
function isOurs(name: string, staging: string): boolean {
  const lock = basename(staging);
  return name === lock || (name.startsWith(lock) && BESIDE.test(name.slice(lock.length)));
}

function isDead(lock: string): boolean {
  const owner = ownerOf(lock);
  const state = owner === undefined ? 'unknown' : stateOf(owner);
  if (state !== 'unknown') return state === 'dead';
  // Of another container or host, or cut off before it could say: its heartbeat decides.
  const stats =
    statSync(join(lock, OWNER), { throwIfNoEntry: false }) ?? statSync(lock, { throwIfNoEntry: false });
  // Where it is gone by now, there is nothing to remove.
  return stats !== undefined && Date.now() - stats.mtimeMs > DEAD_AFTER_MS;
}

function ownerOf(lock: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(join(lock, OWNER), 'utf8'));
  } catch {
    return undefined;
  }
}

function isOwnedBy(staging: string, owner: string): boolean {
  try {
    return readFileSync(join(staging, OWNER), 'utf8') === owner;
  } catch {
    return false;
  }
}

function beat(staging: string, owner: string): void {
  if (!isOwnedBy(staging, owner)) return;
  try {
    const now = new Date();
    utimesSync(join(staging, OWNER), now, now);
  } catch {
    // Where the folder has been removed by hand, the work fails by itself.
  }
}
