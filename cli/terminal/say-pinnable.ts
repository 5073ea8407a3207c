import type { PinnableRegistry } from '../../generator/verification/pinnable-registry.js';
import { count, type Io, say } from './io.js';
import { shellWord } from './paths.js';

/** Aligns a line with the text of the line before. */
const INDENT = ' '.repeat(11);

/** Prints what `pin` has found out about a registry. */
export function sayPinnable(io: Io, source: string, registry: PinnableRegistry): void {
  const { thumbprint, rotatedFrom, updatedAt, issuers, development } = registry;
  say(io, source);
  say(io, `root key   ${thumbprint}${development ? ' (development)' : ''}`);
  if (rotatedFrom !== undefined)
    say(io, `${INDENT}a rotation, which is valid, leads here from ${rotatedFrom}`);
  sayNextRoots(io, registry);
  say(io, `list       ${updatedAt}, ${count(issuers, 'issuer')}`);
  sayLog(io, registry);
}

function sayNextRoots(io: Io, { trustAnchor, shownNextRoots: shown }: PinnableRegistry): void {
  const { next_roots } = trustAnchor;
  if (next_roots !== undefined) {
    say(io, `${INDENT}only ${next_roots.join(' or ')} can follow it`);
  } else if (shown.length > 0) {
    say(io, `${INDENT}its rotation says that only ${shown.join(' or ')} can follow it, which proves`);
    say(io, `${INDENT}nothing to you: if the operator says the same, pass ${nextRootOptions(shown)}`);
  }
}

const nextRootOptions = (nextRoots: readonly string[]) =>
  nextRoots.map((thumbprint) => `--next-root ${thumbprint}`).join(' ');

function sayLog(io: Io, { log, logSize = 0, cosignedBy, trustAnchor }: PinnableRegistry): void {
  if (log === undefined) {
    say(io, 'log        none');
    return;
  }
  const { witnesses, quorum = 0 } = trustAnchor;
  const cosigned = witnesses === undefined ? '' : `, cosigned by ${cosignedBy.join(' and ')}`;
  say(io, `log        ${log}, ${count(logSize, 'entry', 'entries')}${cosigned}`);
  if (witnesses === undefined) {
    say(
      io,
      `${INDENT}whoever has the keys of the registry can show you another log than others: if you know`,
    );
    say(io, `${INDENT}the keys of its witnesses from their operators, pass --witness and --quorum`);
  } else if (quorum * 2 <= witnesses.length) {
    say(
      io,
      `WARNING: ${quorum} of ${witnesses.length} witnesses is not more than half: two quorums without a common witness can cosign different logs`,
    );
  }
}

/** Returns what the trust anchor of a registry requires, as the end of a sentence. */
export function demandOf({ trustAnchor }: PinnableRegistry): string {
  const { next_roots = [], log, witnesses, quorum } = trustAnchor;
  const cosigned =
    witnesses === undefined
      ? ''
      : `, cosigned by ${quorum} of ${count(witnesses.length, 'witness', 'witnesses')}`;
  const required = [
    ...(log === undefined ? [] : [`the log ${log}${cosigned}`]),
    ...(next_roots.length === 0 ? [] : [`a next root key that is one of ${next_roots.length}`]),
  ];
  return required.length === 0 ? '' : `; it requires ${new Intl.ListFormat('en-GB').format(required)}`;
}

/** Says how to compare the thumbprint, and how to pin the registry then. */
export function sayHowToCompare(io: Io, source: string, { trustAnchor }: PinnableRegistry): void {
  const { witnesses = [], quorum } = trustAnchor;
  const demands = [
    ...(trustAnchor.next_roots ? [nextRootOptions(trustAnchor.next_roots)] : []),
    ...witnesses.map((vkey) => `--witness ${shellWord(vkey)}`),
    ...(quorum === undefined ? [] : [`--quorum ${quorum}`]),
  ];
  const command = ['passport-registry pin', source, '--thumbprint THUMBPRINT', ...demands].join(' ');
  for (const line of [
    'NOT pinned: no --thumbprint was given, so nothing was written.',
    'Whoever answers at this URL can show any root key. Learn the thumbprint from the operator in another way, such as',
    "the operator's homepage, a signed e-mail or the phone. Then run this with the thumbprint that you were told:",
    `  ${command}`,
  ]) {
    say(io, line);
  }
}
