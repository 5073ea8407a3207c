import { CHECKSUMS_PATH } from './checksums.js';
import { HOST_FILES } from './host-configuration.js';
import { PATHS } from './paths.js';

/** The folders of a tree. Versions before 0.2.0 wrote `deltas`. */
const FOLDERS = ['assets', 'deltas', 'issuers', 'keys', 'log', 'schemas', 'snapshots', 'sums', 'witness'];

/** The files in the top folder of a tree. */
const FILES: readonly string[] = [
  ...[PATHS.list, PATHS.signature, PATHS.checkpoint, PATHS.publication, PATHS.operations, CHECKSUMS_PATH],
  ...[PATHS.page, PATHS.changes, PATHS.feed, PATHS.developmentMark, ...HOST_FILES],
];

/** Whether a file is one that this version knows, or is in a folder that it knows. */
export function isKnown(path: string): boolean {
  const [first = '', ...rest] = path.split('/');
  return (rest.length > 0 ? FOLDERS : FILES).includes(first);
}

/**
 * Whether a host could serve or read a file instead of a known one. Its path begins with the name of a known file or folder,
 * in any case, or with that of a file with an ending: `ISSUERS.JSON`, `Keys/root.json`, `publication.jwt.gz`.
 */
function resemblesKnown(path: string): boolean {
  const [first = ''] = path.toLowerCase().split('/');
  const files = FILES.map((name) => name.toLowerCase());
  return [...FOLDERS, ...files].includes(first) || files.some((name) => first.startsWith(`${name}.`));
}

/** Names that hosts take for the page of a folder or for configuration. */
const READ_BY_HOSTS = /^(?:index|default|web)\./;

/**
 * Whether an auditor passes a file although nothing lists it: a file that a later version may have added. Nothing that
 * this version knows may depend on it (rule later-versions). So files in known folders are refused, and those that a host
 * could serve or read instead of a known file, such as hidden files, `_redirects` and `index.php`.
 */
export function mayBeUnlisted(path: string): boolean {
  const lower = path.toLowerCase();
  if (resemblesKnown(path) || READ_BY_HOSTS.test(lower)) return false;
  return lower.split('/').every((part) => /^[a-z0-9][a-z0-9._-]*$/.test(part));
}
