import { clockNote } from '@passport-registry/verifier/core';
import { formatDuration, onlineKeysValidity } from '../../generator/freshness/expiry.js';
import { namesIn } from '../../generator/freshness/online-keys.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import type { OnlineKeyFacts, RootKeyFacts, TreeFacts } from './facts.js';
import { type Level, mostUrgent, type Part } from './part.js';

/** Says whether the configured root key is that of the tree, and whether its signer is there. */
export function rootKeyPart(
  { file, rootKey: pinned, problem, nextRoots, isReplaced, signer }: RootKeyFacts,
  { folder, rootKey, development }: Pick<TreeFacts, 'folder' | 'rootKey' | 'development'>,
): Part {
  const own = rootKey?.thumbprint;
  const configured = pinned?.thumbprint;
  const committed = rootKey?.nextRoots ?? nextRoots;
  const data = { thumbprint: own ?? configured, configured, development, nextRoots: committed ?? [] };
  const only = committed === undefined ? '' : `; only ${committed.join(' or ')} can follow it`;
  const say = (level: Level, fact: string, hint?: string): Part => ({ level, fact, hint, data });

  if (problem !== undefined) return say('error', problem, 'Fix root_key in registry.yaml');
  if (own !== undefined && configured !== undefined && own !== configured) {
    const both = `${file} is ${configured}, and the root key of ${folder} is ${own}`;
    return isReplaced
      ? say(
          'warning',
          `${both}, which has replaced it`,
          'Run `keys rotate` with the new key, which changes the settings',
        )
      : say('error', `${both}: nothing can be signed`, 'Fix root_key in registry.yaml, or run `load`');
  }
  // What a rotation step says counts more, and a build ignores the setting.
  if (own !== undefined && rootKey?.nextRoots === undefined && nextRoots?.includes(own) === true)
    return say('error', `${own} is in next_roots itself: a build stops`, 'Remove it from registry.yaml');
  if (own !== undefined && development) return say('note', `${own}, a development key: not for production`);
  if (configured === undefined)
    return say(
      'note',
      own === undefined ? 'none is configured' : `${own}, which root_key does not name`,
      'Set root_key',
    );
  const fits = own === undefined ? `from ${file}` : `${file} is that of ${folder}`;
  return say(signer.level, `${configured}, ${fits}; ${signer.message}${only}`);
}

/** Says whether the configured online key may sign checkpoints, hold issuers, and until when. */
export function onlineKeysPart(
  { isConfigured, thumbprint: configured, mayHold: wantsHold, signer }: OnlineKeyFacts,
  { publication }: Pick<TreeFacts, 'publication'>,
  now: number,
): Part | undefined {
  if (publication === undefined) return undefined;
  const { online, issuedAt, kid } = publication;
  const isOther = isConfigured && configured !== kid;
  const hint = 'Run `build` with the root key';
  if (online === undefined) {
    const data = { configured, keys: [], mayHold: false };
    if (!isOther) return { level: 'ok', fact: 'none: the root key signs checkpoints', data };
    const fact = `the publication names no online key, so ${configured ?? 'that of registry.yaml'} signs nothing: \`hold\` fails`;
    return { level: 'error', fact, hint, data };
  }
  const keys = namesIn(online);
  const { mayHold, expiresAt } = online;
  const expires = formatUpdatedAt(expiresAt);
  const data = { configured, keys, mayHold, expires };
  const say = (level: Level, fact: string, todo?: string): Part => ({ level, fact, hint: todo, data });
  const names = keys.join(' and ');

  if (isOther && configured !== undefined && !keys.includes(configured))
    return say(
      'error',
      `the publication names ${names}, not ${configured} of registry.yaml: \`hold\` fails`,
      hint,
    );
  const validity = onlineKeysValidity(online, issuedAt, now);
  if (validity === 'over')
    return say('error', `the time of ${names} ended at ${expires} ${clockNote(now)}: \`hold\` fails`, hint);
  if (isOther && wantsHold && !mayHold)
    return say('error', `the publication does not let ${names} hold issuers: \`hold\` fails`, hint);
  if (isOther && !wantsHold && mayHold)
    return say('warning', `the publication lets ${names} hold issuers, and registry.yaml does not`, hint);
  const holds = mayHold ? 'may hold issuers' : 'may not hold issuers: only the root key stops one';
  const fact = `${names}, until ${expires}, for ${formatDuration(expiresAt - now)}; ${holds}`;
  if (validity === 'ends soon') return say('warning', fact, hint);
  const present = isConfigured ? `; ${signer.message}` : '';
  return say(mostUrgent([signer.level, mayHold ? 'ok' : 'note']), `${fact}${present}`);
}
