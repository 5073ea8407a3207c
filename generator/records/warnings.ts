import { GRAMMAR, instantOf, isDateTime } from '@passport-registry/verifier/core';
import { iso31661, iso31662 } from 'iso-3166';
import { type Finding, shown } from '../diagnostics/diagnostic.js';
import type { Path } from './yaml/locate.js';

/** A finding, and the value or the field's name that it is about. */
export interface Located {
  readonly path: Path;
  readonly part?: 'key' | 'value';
  readonly finding: Finding;
}

let assigned: Set<string> | undefined;

function isAssigned(code: string): boolean {
  assigned ??= new Set([
    'global',
    ...iso31661.filter(({ state }) => state === 'assigned').map(({ alpha2 }) => alpha2),
    ...iso31662.map(({ code }) => code),
  ]);
  return assigned.has(code);
}

/** Finds values that are valid but suspicious. The record may contain errors; valid fields are checked nevertheless. */
export function warningsFor(record: object): Located[] {
  const { geographical_scope, policy_uri, certified_since } = record as Record<string, unknown>;
  return [
    ...findUnknownCountries(geographical_scope),
    ...findPlainHttp(policy_uri),
    ...findFutureDate(certified_since),
  ];
}

function findUnknownCountries(scope: unknown): Located[] {
  if (!Array.isArray(scope)) return [];
  return scope.flatMap((code, index) => {
    const wellFormed = typeof code === 'string' && GRAMMAR.geographicalCode.pattern.test(code);
    if (!wellFormed || isAssigned(code)) return [];
    const message = `ISO 3166 does not assign the code ${shown(code)}`;
    // The most common mistake: UK is only reserved, and the code of the country is GB.
    const remedy = code === 'UK' ? 'did you mean `GB`?' : undefined;
    return [{ path: ['geographical_scope', index], finding: { rule: 'unknown-country', message, remedy } }];
  });
}

/** Compares with the clock of this machine. Warnings are not published, so a tree does not depend on the clock. */
function findFutureDate(certifiedSince: unknown): Located[] {
  if (typeof certifiedSince !== 'string' || !isDateTime(certifiedSince)) return [];
  if (instantOf(certifiedSince) <= Date.now()) return [];
  const message = `certified_since is ${certifiedSince}: the page says "not yet" until then, but verifiers accept it from its publication on`;
  return [{ path: ['certified_since'], finding: { rule: 'certified-in-future', message } }];
}

function findPlainHttp(url: unknown): Located[] {
  if (typeof url !== 'string' || !/^http:/.test(url)) return [];
  const message = `policy_uri is ${shown(url)}`;
  const remedy = 'use its https URL, if it has one';
  return [{ path: ['policy_uri'], finding: { rule: 'not-https', message, remedy, severity: 'warning' } }];
}
