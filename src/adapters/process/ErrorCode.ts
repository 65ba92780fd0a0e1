// ErrorCode: what a caught value says about itself.
// The one rule: it never throws; a value that is no error is described as text.

/** The `code` of a system error (`ENOENT`), else undefined. */
export const errorCode = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

/** One line that says what went wrong. */
export const errorText = (error: unknown): string => error instanceof Error ? error.message : String(error)
