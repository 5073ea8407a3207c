import type { RegistryClient } from '@passport-registry/verifier';
import { byId, type Child, element } from './element.js';
import { formatAge, time } from './time.js';
import type { NotVerified } from './verified-registry.js';

/** Shows the state of the verification. The state is also the CSS class. */
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

/** Shows why the verification failed. The caller removes all unverified data from the page. */
export function showFailure({ code, message }: NotVerified): void {
  const again = element('button', { type: 'button' }, 'Try again');
  again.addEventListener('click', () => location.reload());
  show(
    'bad',
    element('h2', {}, 'Not verified: trust nothing here'),
    element(
      'div',
      { role: 'alert' },
      element('p', {}, 'The registry at this URL failed verification. Its issuers are not shown.'),
      element('p', {}, element('code', {}, code), `: ${message}.`),
      element(
        'p',
        {},
        'Right after a publication, this error disappears within a minute. If it does not, tell the operator of the ',
        'registry, and use another mirror.',
      ),
    ),
    element('p', {}, again),
  );
}

/** Shows the verified facts and their age. A second call updates the facts, and keeps what the reader has typed. */
export function showVerified(client: RegistryClient, pinned: string, count: number): void {
  const facts = factsOf(client, count);
  const shown = document.querySelector('.verification.good .facts');
  if (shown !== null) shown.replaceWith(facts);
  else show('good', element('h2', {}, 'Verified in this browser'), facts, limits(pinned));
}

function factsOf(client: RegistryClient, count: number): HTMLElement {
  const { rootKeys, updatedAt = '', errors, age: ageSeconds = 0 } = client.status();
  const list = [
    `${count.toLocaleString('en')} issuers, updated at `,
    time(updatedAt),
    ` (${formatAge(Date.parse(updatedAt))})`,
  ];
  const hasErrors = Object.keys(errors).length > 0;
  const confirmedAtMs = Date.now() - ageSeconds * 1000;
  return element(
    'dl',
    { class: 'facts' },
    fact('Root key', element('code', {}, rootKeys.join(' ')), ', pinned by this page'),
    fact('List', ...list),
    fact('Payload hash', element('code', {}, client.sha256), ' (SHA-256)'),
    fact('Checkpoint', ...checkpoint(client)),
    hasErrors
      ? fact('Host', `the last refresh failed; this list was verified ${formatAge(confirmedAtMs)}`)
      : undefined,
  );
}

function fact(name: string, ...value: Child[]): HTMLElement {
  return element('div', {}, element('dt', {}, name), element('dd', {}, value));
}

function checkpoint(client: RegistryClient): Child[] {
  const { checkpointSignedAt, freshUntil } = client.status();
  const until = freshUntil === undefined ? '' : freshUntil.toISOString();
  if (checkpointSignedAt === undefined) {
    return ['none, so this host could hide a newer list; this list is accepted until ', time(until)];
  }
  const signed = checkpointSignedAt.toISOString();
  return [
    'states that this list is the newest; signed at ',
    time(signed),
    ` (${formatAge(checkpointSignedAt.getTime())}), valid until `,
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
      'Your browser fetched the list, the signature and the root key from this host. It checked that the root key has ',
      'the thumbprint that is built into this page, that the signature over the exact bytes of the list is valid, and ',
      'that the list is valid and not too old. It repeats these checks every minute while the page is open.',
    ),
    element(
      'p',
      {},
      'This page cannot show that the page itself is honest. The host that serves the list also serves this page, with ',
      'the thumbprint in it. A dishonest host can serve a page that claims anything. So compare the thumbprint with one ',
      'that you got in another way. For important decisions, verify outside of this page, with the commands below or ',
      'with the verifier library.',
    ),
    element('label', { for: 'own-thumbprint' }, 'The thumbprint that you got in another way'),
    input,
    verdict,
  );
}
