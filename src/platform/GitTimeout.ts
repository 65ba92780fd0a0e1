// GitTimeout: the time for finding out what there is to review. Loads no Effect, because help names the default.

/** Where a call sets no other limit, in milliseconds. */
export const defaultIdentityTimeout = 60_000
