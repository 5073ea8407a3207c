import type { Decision, Issuer, TrustAnchor, TrustPolicy } from '@passport-registry/verifier';
import {
  hasCode,
  recognitionOf,
  type Standing,
  standingOf,
  TRUSTED_TIERS,
} from '@passport-registry/verifier/core';
import { element, rich } from '../dom/element.js';
import { day } from '../dom/time.js';
import { standings, use as text } from '../texts.js';

/**
 * The policy that a reader begins with. It is the same for every issuer: one made from the record of an issuer would accept
 * any issuer.
 */
const FIRST_POLICY: TrustPolicy = { tiers: [...TRUSTED_TIERS] };

/** The policies that the reader typed, by issuer. The view is made anew when more is known of the issuer. */
const drafts = new Map<string, string>();

/** What the use of an issuer depends on, besides its record. */
export interface UseContext {
  /** What the page trusts. */
  readonly trustAnchor: TrustAnchor;
  /** Decides under a policy as a verifier would. */
  readonly decide: (policy: TrustPolicy) => Decision | Promise<Decision>;
}

/** Why there is no code for an issuer. Undefined if there is. */
export function noCodeFor(standing: Standing): string | undefined {
  if (standing === 'tests' || standing === 'notYet') return text.noCode[standing];
  return ['on hold', 'suspended', 'revoked'].includes(standing) ? text.noCode.stopped : undefined;
}

/**
 * How to use an issuer in a program, and what a verifier would decide under a policy of the reader.
 *
 * @param noCode - what is said in place of code, if there is none
 */
export function useView(issuer: Issuer, context: UseContext, noCode: string | undefined): HTMLElement {
  const id = issuer.issuer_id;
  const code = element('code', {}, codeFor(id, FIRST_POLICY, context));
  const copy = element('button', { id: 'copy', type: 'button', class: 'copy' }, text.copy);
  copy.addEventListener('click', () => void copyText(code, copy));
  return element(
    'div',
    { class: 'use' },
    element('p', {}, noCode ?? text.code),
    noCode === undefined ? element('div', { class: 'code' }, element('pre', {}, code), copy) : undefined,
    // The code has the policy that the reader tries.
    policyTrial(id, context.decide, (tried) => {
      code.textContent = codeFor(id, tried, context);
      copy.textContent = text.copy;
    }),
  );
}

function codeFor(id: string, policy: TrustPolicy, { trustAnchor }: Pick<UseContext, 'trustAnchor'>): string {
  const { root, ...others } = trustAnchor;
  const { kid, ...jwk } = root;
  return `import { createRegistryClient } from '@passport-registry/verifier';
const root = ${JSON.stringify(jwk)}; // ${text.compare} ${kid}
const trustAnchor = { root, ${JSON.stringify(others).slice(1)};
const registry = createRegistryClient({ trustAnchor });
await registry.ready();
console.log(registry.decide(${JSON.stringify(id)}, ${JSON.stringify(policy)}));
registry.close();`;
}

async function copyText(code: HTMLElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    button.textContent = text.copied;
  } catch {
    // Without permission, or on a host without TLS. The reader can still copy what is selected.
    getSelection()?.selectAllChildren(code);
    button.textContent = text.select;
  }
}

/** A text field for a policy, and the decision under it. @param onPolicy - called with each policy that the reader tries */
function policyTrial(
  id: string,
  decide: UseContext['decide'],
  onPolicy: (policy: TrustPolicy) => void,
): HTMLElement {
  const input = element('textarea', { id: 'policy', rows: 7, spellcheck: 'false', autocomplete: 'off' });
  input.value = drafts.get(id) ?? linesOf(FIRST_POLICY);
  const result = element('div', { role: 'status', class: 'decision' });
  const show = async () => {
    const typed = input.value;
    const decision = await decisionOn(typed, async (policy) => {
      const decided = await decide(policy);
      onPolicy(policy);
      return decided;
    });
    if (typed === input.value) result.replaceChildren(...decision);
  };
  input.addEventListener('input', () => {
    drafts.set(id, input.value);
    void show();
  });
  void show();
  const schema = element('a', { href: 'schemas/trust-policy.schema.json' }, 'trust-policy.schema.json');
  return element(
    'div',
    { class: 'trial' },
    element('label', { for: 'policy' }, text.policy),
    input,
    result,
    element('p', { class: 'note' }, rich(text.schema, { schema })),
  );
}

/** Formats a policy with one member a line. */
function linesOf(policy: TrustPolicy): string {
  const lines = Object.entries(policy).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{\n${lines.join(',\n')}\n}`;
}

async function decisionOn(typed: string, decide: UseContext['decide']): Promise<HTMLElement[]> {
  const refused = (words: string, error: unknown) => [
    element('p', { class: 'refused' }, rich(words, { message: (error as Error).message })),
  ];
  let policy: TrustPolicy;
  try {
    policy = JSON.parse(typed);
  } catch (error) {
    return refused(text.notJson, error);
  }
  try {
    return decisionView(await decide(policy));
  } catch (error) {
    // Any other error is about the registry, and the next event of the client shows it.
    if (hasCode(error, 'ERR_POLICY_INVALID')) return refused(text.notPolicy, error);
    return [];
  }
}

/** Green is not for issuers that are for tests only, or for later. */
function acceptance(issuer: Issuer): HTMLElement {
  const standing = standingOf(issuer, 'active', Date.now());
  const isLater = standing === 'notYet';
  const trusted = standings[recognitionOf(issuer)];
  const words = isLater
    ? rich(text.acceptedAlready, { day: day(issuer.certified_since), trusted })
    : text.accepted;
  const tone = isLater || standing === 'tests' ? '' : 'accepted';
  return element('p', { class: tone }, element('strong', {}, words));
}

function decisionView({ accepted, reasons, issuer }: Decision): HTMLElement[] {
  const verdict =
    accepted && issuer
      ? acceptance(issuer)
      : element('p', { class: 'rejected' }, element('strong', {}, text.rejected));
  return [
    verdict,
    element(
      'ul',
      {},
      reasons.map(({ code, message }) => element('li', {}, element('code', {}, code), `: ${message}`)),
    ),
  ];
}
