// GitTimeout: the time limit for finding out what to review. Loads no Effect, because help names the default.

/** The default in milliseconds. */
export const defaultIdentityTimeout = 60_000
