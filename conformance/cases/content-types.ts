const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\.jwt$/, 'application/jwt'],
  [/\.atom$/, 'application/atom+xml'],
  [/^issuers\/|\.json$/, 'application/json'],
  [/^log\/tile\//, 'application/octet-stream'],
];

/** The content type of a file of a tree. */
export const typeOf = (path: string): string => TYPES.find(([form]) => form.test(path))?.[1] ?? 'text/plain';
