/** A thumbprint of RFC 7638 that begins with a hyphen. No option has a name of this length. */
const LIKE_AN_OPTION = /^-[\w-]{42}$/;

/**
 * Repeats the option before a thumbprint that is not its first value. One thumbprint in 64 begins with a hyphen, and
 * Commander would take it for another option.
 */
export function withThumbprints(argv: readonly string[]): string[] {
  let option: string | undefined;
  return argv.flatMap((argument, index) => {
    if (LIKE_AN_OPTION.test(argument)) {
      return option === undefined || argv[index - 1] === option ? [argument] : [option, argument];
    }
    if (argument.startsWith('--')) option = argument === '--' ? undefined : argument.split('=')[0];
    return [argument];
  });
}
