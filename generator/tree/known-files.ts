import { CHECKSUMS_PATH } from './checksums.js';
import { HOST_FILES } from './host-configuration.js';
import { PATHS } from './paths.js';

/** The folders of a tree. Versions before 0.2.0 wrote `deltas`. */
const FOLDERS = ['assets', 'deltas', 'issuers', 'keys', 'log', 'schemas', 'snapshots', 'sums', 'witness'];

/** The files in the top folder of a tree. */
const FILES = [
  ...[PATHS.list, PATHS.signature, PATHS.checkpoint, PATHS.publication, PATHS.operations, CHECKSUMS_PATH],
  ...[PATHS.page, PATHS.changes, PATHS.feed, PATHS.developmentMark, ...HOST_FILES],
].map((path) => path.toLowerCase());

/** Whether a file is one that this version knows, or is in a folder that it knows. */
export function isInKnownPlace(path: string): boolean {
  const [first = '', ...rest] = path.split('/');
  return rest.length > 0 ? FOLDERS.includes(first) : FILES.includes(first.toLowerCase());
}

/** Names that hosts take for the page of a folder or for configuration. */
const READ_BY_HOSTS = /^(?:index|default|web)\./;

/**
 * Whether an auditor passes a file although nothing lists it: a file that a later version may have added. Nothing that
 * this version knows may depend on it. So files in known folders are refused, and names that a host could serve or read
 * instead of a known file: hidden files, `_redirects`, `index.php`, `publication.jwt.gz`, `ISSUERS.JSON`.
 */
export function mayBeUnlisted(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const [first = ''] = parts;
  const isKnown = parts.length > 1 ? FOLDERS.includes(first) : FILES.includes(first);
  if (isKnown || FILES.some((file) => first.startsWith(`${file}.`)) || READ_BY_HOSTS.test(first))
    return false;
  return parts.every((part) => /^[a-z0-9][a-z0-9._-]*$/.test(part));
}
