/** The time `fromNow` seconds from now, in seconds since 1970. */
export const seconds = (fromNow = 0) => Math.floor(Date.now() / 1000) + fromNow;

/** The time `fromNow` seconds from now, as an RFC 3339 date-time. */
export const instant = (fromNow = 0) => new Date(Date.now() + fromNow * 1000).toISOString();

/** The time `fromNow` seconds from now, in the format of `updated_at`: in whole seconds. */
export const timeFromNow = (fromNow: number) => instant(fromNow).replace(/\.\d+Z/, 'Z');
