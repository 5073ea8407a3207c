import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies this start of this machine, or of this container. On a system without /proc, only the machine. */
export function bootIdentity(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${startTimeOfInit()}`;
  } catch {
    return hostname();
  }
}

/**
 * Field 22 of /proc/1/stat; undefined if this process may not read it. Field 2, the name of the program, may contain anything, but
 * ends at the last parenthesis.
 */
function startTimeOfInit(): string | undefined {
  try {
    const stat = readFileSync('/proc/1/stat', 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
