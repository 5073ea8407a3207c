import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What tells one process from all others, also from one that is given the same number later or in another container. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it was started, in the clock of its kernel; empty where that cannot be told. */
  readonly started: string;
  /** Where its number counts: this boot of this machine, and this container. */
  readonly realm: string;
}

/** This process. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: startOf(process.pid) ?? '', realm: realm() };
}

/** Whether a process runs; `unknown` for one of another container, host or boot that cannot be seen from here. */
export function stateOf({ pid, started, realm: where }: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  if (where !== realm() || !Number.isInteger(pid) || pid <= 0) return 'unknown';
  if (!isRunning(pid)) return 'dead';
  // Another process may have been given the number since.
  return startOf(pid) === (started === '' ? undefined : started) ? 'alive' : 'dead';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Where the system does not say, machines are told apart by their names. */
function realm(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Field 22 of /proc/PID/stat; a program's name, field 2, may hold anything but ends at the last parenthesis. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
