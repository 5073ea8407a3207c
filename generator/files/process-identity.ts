import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies a process uniquely, even if another process has the same pid later or in another container. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time, in clock ticks of the kernel. Empty if the system does not report it. */
  readonly started: string;
  /** The scope of the pid: one boot of one machine, and one container. */
  readonly realm: string;
}

/** The identity of this process. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: startTimeOf(process.pid) ?? '', realm: realm() };
}

/**
 * Whether a process is running. `unknown` for a process of another container, host or boot, which is not visible here.
 */
export function stateOf({ pid, started, realm: where }: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  if (where !== realm() || !Number.isInteger(pid) || pid <= 0) return 'unknown';
  if (!isRunning(pid)) return 'dead';
  // Another process may have received the same pid since.
  return startTimeOf(pid) === (started === '' ? undefined : started) ? 'alive' : 'dead';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The scope of pids here. Systems without /proc use the host name. */
function realm(): string {
  try {
    return `${readBootId()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Identifies this start of this machine, or of this container. On a system without /proc, only the machine. */
export function bootIdentity(): string {
  try {
    return `${readBootId()} ${startTimeOf(1)}`;
  } catch {
    return hostname();
  }
}

const readBootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/**
 * Field 22 of /proc/PID/stat. Field 2, the name of the program, may contain anything, but ends at the last parenthesis.
 */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
