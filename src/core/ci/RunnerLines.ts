// RunnerLines: lines that the runner of a workflow reads: what it takes for an output, and what it must not take for a
// command. It looks for commands in whatever a step prints, on both streams, also behind spaces.
import { oneLine } from "../text/Text.ts"

/** A text in which the runner finds no command. */
export const harmless = (text: string): string =>
  // Carriage returns are removed first: removed later, they could join two halves of a command.
  text.replace(/\r/g, "").replace(/##\[/g, "## [").replace(/^([^\S\n]*)::/gm, "$1: :")

/** Outputs of a step, a line each; a value is one line. */
export const outputLines = (values: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(values).map(([name, value]) => `${name}=${oneLine(String(value))}\n`).join("")
