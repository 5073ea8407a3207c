import { expiryOf, formatDuration } from '../../generator/freshness/expiry.js';
import { releasedBy } from '../../generator/freshness/previous-checkpoint.js';
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

/** How urgent it is that a host serves an older publication. */
const olderLevel = (issuedAt: number, now: number): Level =>
  now - issuedAt > UPLOAD_MS ? 'error' : 'warning';

/** What helps if a host serves something older than the tree. */
const uploadHint = (role: HostFacts['role'], folder: string) =>
  role === 'base_url' ? `Upload ${folder}` : 'Ask its operator';

/** What is compared with a host. */
type OwnTree = Pick<TreeFacts, 'folder' | 'isThere' | 'publication' | 'checkpoint'>;

/** Says whether a host serves the tree. */
export function hostPart({ role, url, served }: HostFacts, tree: OwnTree, now: number): Part {
  const { folder, isThere, publication, checkpoint } = tree;
  const upload = uploadHint(role, folder);
  const say = (level: Level, fact: string, hint?: string): Part => ({
    level,
    fact: `${url} ${fact}`,
    hint,
    data: { url, serves: served.state },
  });
  switch (served.state) {
    case 'unreachable':
      return say(isThere ? 'error' : 'warning', `does not answer: ${served.problem}`);
    case 'nothing':
      return isThere ? say('error', 'serves no registry', upload) : say('note', 'serves no registry');
    case 'refused':
      // The hash proves an earlier publication, also one by a root key that a rotation has replaced.
      if (served.hash !== undefined && publication?.previous.includes(served.hash)) {
        const fact = `serves a publication before that of ${folder}`;
        return {
          ...say(olderLevel(publication.issuedAt, now), fact, upload),
          data: { url, serves: 'older' },
        };
      }
      return say('error', `serves what verifiers refuse: ${served.problem}`);
    case 'registry':
      if (publication !== undefined && checkpoint !== undefined)
        return comparedPart({ role, url, served }, { folder, publication, checkpoint }, now);
      return say('error', `serves a registry, and ${folder} has no whole tree`, 'Run `load`');
  }
}

function comparedPart(
  { role, url, served }: HostFacts & { readonly served: Statements },
  { folder, ...own }: Statements & Pick<TreeFacts, 'folder'>,
  now: number,
): Part {
  const { publication: order, checkpoint, notHeld } = compareStatements(served, own);
  const { sequence, kid } = served.publication;
  const data = { url, serves: order, checkpoint, publication: sequence, notHeld };
  const say = (level: Level, fact: string, hint?: string): Part => ({
    level,
    fact: `${url} serves publication ${sequence}${fact}`,
    hint,
    data,
  });
  const upload = uploadHint(role, folder);
  const load = role === 'base_url' ? 'Run `load`' : undefined;

  if (order === 'other') return say('error', `, which ${folder} does not continue`, load);
  if (kid !== own.publication.kid)
    return say('error', `, of the root key ${kid}, to which a rotation leads that ${folder} lacks`, load);
  const onlyThere = releasedBy(own.checkpoint, served.checkpoint);
  const ends =
    onlyThere.length === 0 ? '' : `; an upload of ${folder} would end the hold of ${onlyThere.join(', ')}`;
  if (notHeld.length > 0 && checkpoint !== 'newer')
    return say('error', ` and does not hold ${notHeld.join(', ')}${ends}`, upload);
  const [expired] = expiryOf(served.checkpoint, now).problems;
  if (expired !== undefined) return say('error', `, which verifiers refuse: ${expired}`, upload);
  if (order === 'older') {
    const age = formatDuration(now - own.publication.issuedAt);
    const fact = `, and ${folder} has ${own.publication.sequence}, signed ${age} ago`;
    return say(olderLevel(own.publication.issuedAt, now), fact, upload);
  }
  const ended = notHeld.length === 0 ? '' : `, and no longer holds ${notHeld.join(', ')}`;
  if (order === 'newer')
    return say('warning', `, newer than ${folder}${ended}: nothing is signed before it is loaded`, load);
  if (checkpoint === 'same') return say('ok', ` and the checkpoint of ${folder}`);
  if (checkpoint === 'newer')
    return say(ended === '' ? 'note' : 'warning', `, with a newer checkpoint than ${folder}${ended}`, load);
  const hint = role === 'base_url' ? upload : undefined;
  return say(ends === '' ? 'note' : 'warning', `, with an older checkpoint than ${folder}${ends}`, hint);
}
