import { expiryOf, formatDuration } from '../../generator/freshness/expiry.js';
import { compareStatements, type Statements } from '../../observers/hosts/served.js';
import type { Facts, HostFacts, TreeFacts } from './facts.js';
import type { Level, Part } from './part.js';

/** What a part says of hosts that nobody has asked. */
const NOT_ASKED = {
  'no base_url': 'not set, so nothing that is signed here is compared with a host',
  'no root key': 'not asked: there is no root key to verify it with',
} as const;

/** Says why no host was asked. Undefined if one was, or if the operator wants none to be. */
export function unaskedPart({ hosts }: Pick<Facts, 'hosts'>): Part | undefined {
  if (typeof hosts !== 'string' || hosts === 'offline') return undefined;
  return { level: 'note', fact: NOT_ASKED[hosts], data: {} };
}

/** How long after a publication a host may still serve an older one. */
const UPLOAD_MS = 60 * 60 * 1000;

/** What is compared with a host. */
type OwnTree = Pick<TreeFacts, 'folder' | 'isThere' | 'publication' | 'checkpoint'>;

/** Says whether a host serves the tree. */
export function hostPart({ role, url, served }: HostFacts, tree: OwnTree, now: number): Part {
  const { folder, isThere, publication, checkpoint } = tree;
  const serves = served.state === 'empty' ? 'nothing' : served.state;
  const say = (level: Level, fact: string, hint?: string): Part => ({
    ...{ level, fact: `${url} ${fact}`, hint, data: { url, serves } },
  });
  const upload = role === 'base_url' ? `Upload ${folder}` : 'Ask its operator';
  const isLate = publication !== undefined && now - publication.issuedAt > UPLOAD_MS;

  switch (served.state) {
    case 'unreachable':
      return say(isThere ? 'error' : 'warning', `does not answer: ${served.problem}`);
    case 'empty':
      return isThere ? say('error', 'serves no registry', upload) : say('note', 'serves no registry');
    case 'refused': {
      // The hash proves an earlier publication, also one by a root key that a rotation has replaced.
      if (served.hash === undefined || publication?.previous.includes(served.hash) !== true)
        return say('error', `serves what verifiers refuse: ${served.problem}`);
      const older = say(
        isLate ? 'error' : 'warning',
        `serves a publication before that of ${folder}`,
        upload,
      );
      return { ...older, data: { url, serves: 'older' } };
    }
    case 'registry':
      if (publication !== undefined && checkpoint !== undefined) {
        const own = { publication, checkpoint };
        return comparedPart({ role, url, served }, { folder, upload, isLate, own }, now);
      }
      return say(
        'error',
        `serves publication ${served.publication.sequence}, and ${folder} has no whole tree`,
        'Run `load`',
      );
  }
}

interface ComparedWith {
  readonly folder: string;
  readonly own: Statements;
  /** The hint for a host that serves something older. */
  readonly upload: string;
  /** Whether the host should serve the publication of the tree by now. */
  readonly isLate: boolean;
}

function comparedPart(
  { role, url, served }: Pick<HostFacts, 'role' | 'url'> & { readonly served: Statements },
  { folder, own, upload, isLate }: ComparedWith,
  now: number,
): Part {
  const { publication, checkpoint, notHeld } = compareStatements(served, own);
  const { sequence } = served.publication;
  const data = { url, serves: publication, checkpoint, publication: sequence, notHeld };
  const say = (level: Level, fact: string, hint?: string): Part => ({
    ...{ level, fact: `${url} serves publication ${sequence}${fact}`, hint, data },
  });
  const load = role === 'base_url' ? 'Run `load`' : undefined;

  if (publication === 'other') return say('error', `, which ${folder} does not continue`, load);
  if (notHeld.length > 0) return say('error', ` and does not hold ${notHeld.join(', ')}`, upload);
  const [expired] = expiryOf(served.checkpoint, now).problems;
  if (expired !== undefined) return say('error', `, which verifiers refuse: ${expired}`, upload);
  switch (publication) {
    case 'older': {
      const age = formatDuration(now - own.publication.issuedAt);
      const fact = `, and ${folder} has ${own.publication.sequence}, signed ${age} ago`;
      return say(isLate ? 'error' : 'warning', fact, upload);
    }
    case 'newer':
      return say('warning', `, which is newer than ${folder}: nothing is signed before it is loaded`, load);
    case 'same':
      break;
  }
  switch (checkpoint) {
    case 'newer':
      return say('note', `, with a newer checkpoint than ${folder}`, load);
    case 'same':
      return say('ok', ` and the checkpoint of ${folder}`);
    default:
      return say(
        'note',
        `, with an older checkpoint than ${folder}`,
        role === 'base_url' ? upload : undefined,
      );
  }
}
