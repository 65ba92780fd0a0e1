// shortcut: the command lines that need no parser: `--help` anywhere as an option, and `--version` alone.
// Nothing here loads Effect, so that asking for help costs little more than starting node.
import { normalise } from "./normalise.ts"
import { called } from "./subcommands.ts"
import { usage } from "./usage.ts"
import { version } from "../core/Version.ts"

export type Shortcut =
  | { readonly _tag: "Help"; readonly text: string }
  | { readonly _tag: "Version"; readonly text: string }

/** The text for stdout (no newline at its end) when argv asks for help or for the version, else null. */
export const shortcut = (argv: ReadonlyArray<string>): Shortcut | null => {
  // A subcommand prints its own help.
  if (called(argv) !== null) return null
  if (argv.length === 1 && argv[0] === "--version") return { _tag: "Version", text: version }
  return normalise(argv).help ? { _tag: "Help", text: usage } : null
}
