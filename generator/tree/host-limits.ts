import type { Tree } from './tree.js';

const MIB = 1024 * 1024;

/** What a host takes. docs/hosting/README.md has the same table. */
interface HostLimits {
  readonly host: string;
  /** The number of files of a site. */
  readonly files?: number;
  /** The size of one file, in bytes. */
  readonly fileBytes?: number;
  /** The size of a site, in bytes. */
  readonly bytes?: number;
}

const LIMITS: readonly HostLimits[] = [
  { host: 'Cloudflare Pages (free plan)', files: 20_000, fileBytes: 25 * MIB },
  { host: 'GitHub Pages', bytes: 1000 * MIB },
];

/** Says which of the documented hosts do not take a tree of this size, each in a sentence. Other hosts have no such limits. */
export function passedLimits(tree: Tree): string[] {
  const sizes = [...tree.values()].map(({ length }) => length);
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const beyond = (found: number, limit: number | undefined) => limit !== undefined && found > limit;
  return LIMITS.flatMap(({ host, files, fileBytes, bytes }) => [
    ...(beyond(sizes.length, files)
      ? [
          `The tree has ${sizes.length} files, and ${host} takes at most ${files}: publish it at another host.`,
        ]
      : []),
    ...(beyond(largest, fileBytes)
      ? [
          `A file has ${inMib(largest)}, and ${host} takes at most ${inMib(fileBytes ?? 0)}: publish it at another host.`,
        ]
      : []),
    ...(beyond(total, bytes)
      ? [
          `The tree has ${inMib(total)}, and ${host} takes at most ${inMib(bytes ?? 0)}: publish it at another host.`,
        ]
      : []),
  ]);
}

const inMib = (bytes: number) => `${Math.ceil(bytes / MIB)} MiB`;
