import { type Case, cases } from '../../build/conformance/cases/index.js';

/** Returns all cases of the conformance kit whose ids begin with a text. */
export async function allOf(only: string): Promise<Case[]> {
  const found: Case[] = [];
  for await (const one of cases({ only })) found.push(one);
  return found;
}
