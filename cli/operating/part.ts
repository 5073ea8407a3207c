/** How urgent a part is, most urgent first. */
export const LEVELS = ['error', 'warning', 'note', 'ok'] as const;

/**
 * How urgent a part is: `error` if something is wrong or would fail in an emergency, `warning` if the operator should act soon,
 * `note` if the operator may act, `ok` otherwise.
 */
export type Level = (typeof LEVELS)[number];

/** What is so with one part of a registry. */
export interface Part {
  readonly level: Level;
  /** One line for people. */
  readonly fact: string;
  /** What helps, in a sentence without its full stop. Absent if nothing needs to be done, or if only the operator knows. */
  readonly hint?: string | undefined;
  /** The same fact for programs. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns the most urgent of some levels. */
export function mostUrgent(levels: readonly Level[]): Level {
  return LEVELS.find((level) => levels.includes(level)) ?? 'ok';
}

/** Joins the first problem with the number of the others. */
export function summarize(problems: readonly string[]): string {
  const [first = 'unknown problem', ...more] = problems;
  return more.length === 0 ? first : `${first}; and ${more.length} more`;
}
