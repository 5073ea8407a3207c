import { type Case, ROLES } from '../cases/case.js';

/** The cases of a rule. */
interface RuleCases {
  readonly accepting: Case[];
  readonly refusing: Case[];
}

/** Groups cases by their rule. A case of several steps can stand on both sides. */
export function casesByRule(cases: Iterable<Case>): ReadonlyMap<string, RuleCases> {
  const rules = new Map<string, RuleCases>();
  for (const one of cases) {
    const found = rules.get(one.rule) ?? { accepting: [], refusing: [] };
    rules.set(one.rule, found);
    if (one.steps.some(({ right }) => right === 'accept')) found.accepting.push(one);
    if (one.steps.some(({ right, trusted }) => right !== 'accept' || isLess(one, trusted)))
      found.refusing.push(one);
  }
  return rules;
}

/** Whether a program must not trust all issuers that it is asked for. */
const isLess = ({ ask = [] }: Case, trusted: readonly string[] = ask) => trusted.length < ask.length;

const example = (cases: readonly Case[]) =>
  cases.length === 0 ? '–' : `${cases.length}, such as \`${cases[0]?.id.replaceAll('|', '\\|')}\``;

/**
 * The table of rules and their cases, for people. A case of several steps can stand in both columns, and one in which an issuer
 * must not be trusted stands in the last.
 */
export function rulesTable(cases: readonly Case[]): string {
  const rules = [...casesByRule(cases)].sort(([one], [other]) => (one < other ? -1 : 1));
  const rows = rules.map(([rule, { accepting, refusing }]) => {
    const of = new Set([...accepting, ...refusing].map(({ role }) => role));
    const roles = ROLES.filter((role) => of.has(role)).join(', ');
    return `| \`${rule}\` | ${roles} | ${example(accepting)} | ${example(refusing)} |`;
  });
  return `| Rule | Roles | Cases to accept | Cases to refuse |
|---|---|---|---|
${rows.join('\n')}
`;
}
