import { GRAMMAR } from '@passport-registry/verifier';
import { iso31661, iso31662 } from 'iso-3166';
import { type Finding, shown } from '../diagnostics/diagnostic.js';
import type { Path } from './yaml/locate.js';

let assigned: Set<string> | undefined;

function isAssigned(code: string): boolean {
  assigned ??= new Set([
    'global',
    ...iso31661.filter(({ state }) => state === 'assigned').map(({ alpha2 }) => alpha2),
    ...iso31662.map(({ code }) => code),
  ]);
  return assigned.has(code);
}

/** What is allowed and still deserves a second look. The record may be a bad one: what is good in it counts. */
export function warningsFor(record: object): { path: Path; finding: Finding }[] {
  const { geographical_scope, policy_uri } = record as Record<string, unknown>;
  return [...unknownCountries(geographical_scope), ...plainHttp(policy_uri)];
}

function unknownCountries(scope: unknown): { path: Path; finding: Finding }[] {
  if (!Array.isArray(scope)) return [];
  return scope.flatMap((code, index) => {
    const wellFormed = typeof code === 'string' && GRAMMAR.geographicalCode.pattern.test(code);
    if (!wellFormed || isAssigned(code)) return [];
    const finding: Finding = {
      rule: 'unknown-country',
      message: `ISO 3166 assigns no code ${shown(code)}`,
      // The one mistake that nearly everybody makes: UK is reserved, the code of the country is GB.
      ...(code === 'UK' && { remedy: 'did you mean `GB`?' }),
    };
    return [{ path: ['geographical_scope', index], finding }];
  });
}

function plainHttp(address: unknown): { path: Path; finding: Finding }[] {
  if (typeof address !== 'string' || !/^http:/.test(address)) return [];
  const message = `policy_uri is ${shown(address)}`;
  const remedy = 'give its https URL, if it has one';
  return [{ path: ['policy_uri'], finding: { rule: 'not-https', message, remedy, severity: 'warning' } }];
}
