// Version: the version of this program. `--version` prints it, and every line of a log names it.
// The one rule: it equals the version in package.json; a test compares them.

/** The version of this package. */
export const version = "0.1.0"
