/** How urgent a condition is, most urgent first. */
export const LEVELS = ['error', 'warning', 'note', 'ok'] as const;

/**
 * How urgent a condition is: `error` if something is wrong, `warning` if the operator should act soon, `note` if a part
 * is missing or the operator may act, `ok` otherwise.
 */
export type Level = (typeof LEVELS)[number];

/** The condition of one part of a registry. */
export interface Condition {
  readonly level: Level;
  /** One line for people. */
  readonly message: string;
  /** Whether the tree has no such part. Absent if it has one, if that is unknown, and for what is not a file of the tree. */
  readonly isAbsent?: true;
  /** What else people should know, for a line below the message. */
  readonly details?: readonly string[];
  /** The level without what is wrong with the key that signs the part. Absent if nobody has looked for that key. */
  readonly partLevel?: Level;
  /** The file of the private key that signs the part, if other users may read it. */
  readonly exposedKey?: string;
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
