const MAX_CHARACTERS = 200;

/** Characters that control a terminal or the direction of text, or that nobody sees. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Escapes what could control a terminal, as in JSON. */
export const escaped = (text: string) =>
  text.replaceAll(UNSEEN, (one) =>
    one
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** What a program says, for a message: shortened and escaped. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : `${JSON.stringify(value)}`;
  return escaped(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);
}
