import type { RegistryClient } from '@passport-registry/verifier';
import { byId, type Child, element } from './element.js';
import { age, time } from './time.js';
import type { NotVerified } from './verified-registry.js';

/** Says in which state the verification is; the style follows from it. */
function show(state: 'checking' | 'good' | 'bad', ...children: Node[]): void {
  const section = byId('verification');
  section.hidden = false;
  section.className = `page verification ${state}`;
  section.replaceChildren(...children);
}

export function showChecking(): void {
  show(
    'checking',
    element('h2', {}, 'Verifying…'),
    element('p', { role: 'status' }, 'Nothing below has been verified yet.'),
  );
}

/** What went wrong, in place of everything that might be taken for good. */
export function showFailure({ code, message }: NotVerified): void {
  const again = element('button', { type: 'button' }, 'Try again');
  again.addEventListener('click', () => location.reload());
  show(
    'bad',
    element('h2', {}, 'Not verified: trust nothing here'),
    element(
      'div',
      { role: 'alert' },
      element('p', {}, 'The registry at this address did not pass verification. Its issuers are not shown.'),
      element('p', {}, element('code', {}, code), `: ${message}.`),
      element(
        'p',
        {},
        'Right after a publication this passes within a minute. If it lasts, tell the operator of the registry, and use another mirror.',
      ),
    ),
    element('p', {}, again),
  );
}

/** What was verified, and how fresh it is. Called again, it brings the facts up to date. */
export function showVerified(client: RegistryClient, pinned: string, count: number): void {
  const facts = factsOf(client, count);
  const shown = document.querySelector('.verification.good .facts');
  if (shown !== null) shown.replaceWith(facts);
  else show('good', element('h2', {}, 'Verified in this browser'), facts, limits(pinned));
}

function factsOf(client: RegistryClient, count: number): HTMLElement {
  const { rootKeys, updatedAt = '', errors, age: confirmed = 0 } = client.status();
  const list = [
    `${count.toLocaleString('en')} issuers, of `,
    time(updatedAt),
    ` (${age(Date.parse(updatedAt))})`,
  ];
  const failing = Object.keys(errors).length > 0;
  const confirmedAt = Date.now() - confirmed * 1000;
  return element(
    'dl',
    { class: 'facts' },
    fact('Root key', element('code', {}, rootKeys.join(' ')), ', the one that this page pins'),
    fact('List', ...list),
    fact('Payload hash', element('code', {}, client.sha256), ' (SHA-256)'),
    fact('Checkpoint', ...checkpoint(client)),
    failing ? fact('Host', `could not be asked again; this was verified ${age(confirmedAt)}`) : undefined,
  );
}

function fact(name: string, ...value: Child[]): HTMLElement {
  return element('div', {}, element('dt', {}, name), element('dd', {}, value));
}

function checkpoint(client: RegistryClient): Child[] {
  const { checkpointSignedAt, freshUntil } = client.status();
  const until = freshUntil === undefined ? '' : freshUntil.toISOString();
  if (checkpointSignedAt === undefined) {
    return ['none, so a newer list could be held back; this one is accepted until ', time(until)];
  }
  const signed = checkpointSignedAt.toISOString();
  return [
    'this is the newest list, said at ',
    time(signed),
    ` (${age(checkpointSignedAt.getTime())}), good until `,
    time(until),
  ];
}

function limits(pinned: string): HTMLElement {
  const input = element('input', {
    id: 'own-thumbprint',
    autocomplete: 'off',
    spellcheck: 'false',
    size: 44,
  });
  const verdict = element('p', { role: 'status', class: 'comparison' });
  input.addEventListener('input', () => {
    const given = input.value.trim();
    verdict.className = `comparison ${given === '' ? '' : given === pinned ? 'same' : 'different'}`;
    verdict.textContent =
      given === '' ? '' : given === pinned ? 'The same key.' : 'NOT the same key: trust nothing here.';
  });
  return element(
    'details',
    {},
    element('summary', {}, 'What this shows, and what it cannot show'),
    element(
      'p',
      {},
      'Your browser fetched list, signature and root key from this host, and found: the root key is the one whose thumbprint ',
      'is built into this page; the signature over the exact bytes of the list holds; the list is in order. It asks again every ',
      'minute while the page is open.',
    ),
    element(
      'p',
      {},
      'It cannot show that the page is honest. The host that sends the list also sends this page, with the thumbprint in it: ',
      'a host that lies can send a page that says anything. So compare the thumbprint with one that came to you in another way, ',
      'and for all that matters verify outside of this page, with the commands below or the verifier library.',
    ),
    element('label', { for: 'own-thumbprint' }, 'The thumbprint that you were given'),
    input,
    verdict,
  );
}
