// subcommands: the table of subcommands that exist, and how one is recognised.
// The one rule: a subcommand is the first argument or none; a name not in the table is an operand like any other.

/** Name to one line of help. A subcommand's own parser is `commands/<name>.ts`, loaded only when it is called. */
export const subcommands: ReadonlyMap<string, string> = new Map()

/** A recognised subcommand with the arguments behind its name. */
export interface Subcommand {
  readonly name: string
  readonly argv: ReadonlyArray<string>
}

/** The subcommand that argv calls, if its first argument is a name in the table. */
export const recognise = (table: ReadonlyMap<string, string>, argv: ReadonlyArray<string>): Subcommand | null => {
  const [name, ...rest] = argv
  return name !== undefined && table.has(name) ? { name, argv: rest } : null
}
