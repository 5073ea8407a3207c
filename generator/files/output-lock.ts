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

/** The interval at which the owner of a lock updates its heartbeat, in milliseconds. */
const HEARTBEAT_MS = 10_000;
/** The age of a heartbeat at which an owner with an unknown state counts as dead, in milliseconds. */
const DEAD_AFTER_MS = 10 * 60_000;

/** Another owner holds the lock of an output folder. */
export class LockHeld extends IoFailed {}

/**
 * Runs a function while it holds the lock of an output folder. The lock excludes other processes, other containers that
 * share the folder, and other calls in this process. The lock is the staging folder beside the output folder. If the
 * owner of a lock has died, the lock is taken over.
 *
 * @throws {@link LockHeld} if another owner holds the lock; {@link IoFailed}
 */
export async function withOutputLock<T>(out: string, work: (staging: string) => Promise<T>): Promise<T> {
  const staging = join(dirname(resolve(out)), `.${basename(resolve(out))}.staging`);
  const owner = JSON.stringify({ ...thisProcess(), call: calls++, since: new Date().toISOString() });
  acquire(staging, owner);
  const heartbeat = setInterval(() => updateHeartbeat(staging, owner), HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await work(staging);
  } finally {
    clearInterval(heartbeat);
    if (isOwnedBy(staging, owner)) removeByRename(staging);
  }
}

/** Distinguishes calls in one process. */
let calls = 0;

/**
 * Takes the lock by one rename of a folder that already names the owner. A rename cannot replace a folder that is not
 * empty.
 */
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
      throw new LockHeld(`another build, mirror or rotation holds ${staging}: ${inWords(staging)}`);
    }
    throw new IoFailed(`the staging folder beside the output folder cannot be created: ${message}`, {
      cause,
    });
  }
}

/** The file in a lock that names its owner. */
const OWNER = 'owner.json';

/** While this folder exists, only its owner may remove a dead lock. */
const takeoverFolderOf = (staging: string) => `${staging}-takeover`;

/**
 * Removes the lock of an owner that has died, and temporary folders of such owners. A new lock can only appear where no
 * lock exists, and only the owner of the takeover removes dead locks.
 */
function removeDead(staging: string, owner: string): void {
  const folder = dirname(staging);
  const ours = readdirSync(folder).filter((name) => isOurs(name, staging));
  for (const name of ours.filter(isBeingRemoved))
    rmSync(join(folder, name), { recursive: true, force: true });
  const dead = ours.filter((name) => !isBeingRemoved(name) && isDead(join(folder, name)));
  if (dead.length === 0) return;
  const takeover = takeoverFolderOf(staging);
  removeIfDead(takeover);
  claim(takeover, owner);
  try {
    for (const name of dead) removeIfDead(join(folder, name));
  } finally {
    if (isOwnedBy(takeover, owner)) removeByRename(takeover);
  }
}

/**
 * Removes the folder of a dead owner. Another process can replace the folder with its own between the check and the
 * removal, so the folder is first moved to a unique name and checked again: nobody claims a unique name. The folder of
 * a live owner is moved back, and the claim that follows then finds it in its place. A process that is killed meanwhile
 * leaves a folder that still names its owner, and that nobody removes before that owner has died.
 *
 * @throws an error with the code ENOTEMPTY or EEXIST if another owner has taken the place of the moved folder
 */
function removeIfDead(folder: string): void {
  if (!isDead(folder)) return;
  const moved = uniqueNameBeside(folder);
  renameSync(folder, moved);
  if (isDead(moved)) removeByRename(moved);
  else renameSync(moved, folder);
}

/** Renames a folder, then removes it. A process that is killed meanwhile leaves no partial lock without an owner. */
function removeByRename(folder: string): void {
  const renamed = uniqueNameBeside(`${folder}-removed`);
  renameSync(folder, renamed);
  rmSync(renamed, { recursive: true, force: true });
}

/**
 * Creates a folder that names its owner from the start, by one rename. The rename fails if the folder exists and is not
 * empty.
 */
function claim(folder: string, owner: string): void {
  const temporary = uniqueNameBeside(folder);
  try {
    // Not recursive, because `recursive` reports ENOENT on a read-only file system.
    mkdirSync(temporary);
    writeFileSync(join(temporary, OWNER), owner);
    renameSync(temporary, folder);
  } catch (cause) {
    // If the parent is not a folder, even `rmSync` fails, and there is nothing to remove.
    if (existsSync(temporary)) rmSync(temporary, { recursive: true });
    throw cause;
  }
}

/**
 * A unique name beside a folder, for a temporary folder that becomes this folder, or for this folder before its
 * removal.
 */
function uniqueNameBeside(folder: string): string {
  return `${folder}-${process.pid}-${calls++}`;
}

/** Matches the suffixes of the takeover and of unique names, also combined. */
const SUFFIXES = /^(?:-takeover|-removed|-\d+-\d+)+$/;

/** Whether a folder is being removed. Every process may finish the removal, even while the owner is alive. */
const isBeingRemoved = (name: string) => /-removed-\d+-\d+$/.test(name);

/** Whether a name belongs to the lock, to its takeover, or to a temporary folder of either. */
function isOurs(name: string, staging: string): boolean {
  const lock = basename(staging);
  return name === lock || (name.startsWith(lock) && SUFFIXES.test(name.slice(lock.length)));
}

function isDead(lock: string): boolean {
  const owner = ownerOf(lock);
  const state = owner === undefined ? 'unknown' : stateOf(owner);
  if (state !== 'unknown') return state === 'dead';
  // The owner is in another container or on another host, or was killed before it wrote its name. The heartbeat decides.
  const beat = heartbeatOf(lock);
  // If the folder no longer exists, there is nothing to remove.
  return beat !== undefined && Date.now() - beat > DEAD_AFTER_MS;
}

/** When the owner of a lock last showed that it is alive, in milliseconds since 1970. Undefined if there is no such folder. */
function heartbeatOf(lock: string): number | undefined {
  const stats =
    statSync(join(lock, OWNER), { throwIfNoEntry: false }) ?? statSync(lock, { throwIfNoEntry: false });
  return stats?.mtimeMs;
}

/** Says whose lock it is, since when, whether that process is alive, and what to do. */
function inWords(lock: string): string {
  const owner = ownerOf(lock);
  const who =
    owner === undefined ? 'a process that has not said which' : `process ${owner.pid} (since ${owner.since})`;
  const state = owner === undefined ? 'unknown' : stateOf(owner);
  const beat = heartbeatOf(lock);
  if (state === 'dead' || beat === undefined) return `${who} has ended: run this again`;
  if (state === 'alive')
    return `${who} is alive: wait until it ends or, if it hangs, end it with \`kill ${owner?.pid}\`, and run this again`;
  const where = owner === undefined ? '' : ', of another machine or container, or from before a restart';
  return (
    `${who}${where}. Nobody can see here whether it is alive; its last sign of life was at ${new Date(beat).toISOString()}. Wait until it ends, ` +
    `or ${DEAD_AFTER_MS / 60_000} minutes after that sign, and run this again; if you know that it has ended, remove that folder`
  );
}

interface LockOwner extends ProcessIdentity {
  /** When it took the lock, RFC 3339. */
  readonly since: string;
}

function ownerOf(lock: string): LockOwner | undefined {
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

function updateHeartbeat(staging: string, owner: string): void {
  if (!isOwnedBy(staging, owner)) return;
  try {
    const now = new Date();
    utimesSync(join(staging, OWNER), now, now);
  } catch {
    // If somebody has removed the folder by hand, the operation itself will fail.
  }
}
