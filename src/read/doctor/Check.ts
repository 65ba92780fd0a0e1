// Check: one thing that reviews need of a machine, judged: fine, wrong, or worth knowing.
import { Schema } from "effect"
import { documentText, version } from "../../run/Document.ts"
import { broken, type Page, paintedState, plainPage } from "../../text/Paint.ts"
import { oneLine } from "../../text/Untrusted.ts"

/** One line of the doctor. `note`: reviews work without it. `fix`: what to do about it, or null. */
export const Check = Schema.Struct({
  name: Schema.String,
  state: Schema.Literals(["Fine", "Wrong", "Note"]).transform(["fine", "wrong", "note"]),
  found: Schema.String,
  fix: Schema.NullOr(Schema.String)
})
export type Check = typeof Check.Type

/** Something is fine. */
export const fine = (name: string, found: string): Check => ({ name, state: "fine", found, fix: null })

/** Something is wrong, with what to do about it. */
export const wrong = (name: string, found: string, fix: string): Check => ({ name, state: "wrong", found, fix })

/** Something is worth knowing. */
export const note = (name: string, found: string, fix: string | null): Check => ({ name, state: "note", found, fix })

/** Whether everything that reviews need is fine. */
export const allFine = (checks: ReadonlyArray<Check>): boolean => checks.every(({ state }) => state !== "wrong")

const words = { fine: "ok", wrong: "wrong", note: "note" } as const satisfies Record<Check["state"], string>

// The column of a line's text.
const indent = 19

/** The lines of the checks for people, ending in a newline. */
export const checksText = (checks: ReadonlyArray<Check>, { colour, columns }: Page = plainPage): string =>
  checks.flatMap(({ fix, found, name, state }) => [
    ...broken(`${words[state].padEnd(6)} ${name.padEnd(11)} ${oneLine(found)}`, columns, indent)
      .map((line) => colour ? paintedState(line) : line),
    ...(fix === null ? [] : broken(`${" ".repeat(indent)}fix: ${oneLine(fix)}`, columns, indent))
  ]).map((line) => `${line}\n`).join("")

/** The document of `doctor --json` and of `hook status --json`. */
export class Checks extends Schema.Class<Checks>("Checks")({
  schema: version,
  ok: Schema.Boolean,
  checks: Schema.Array(Check)
}) {}

/** The checks as their document. */
export const checksJson = (checks: ReadonlyArray<Check>): string =>
  documentText(Checks, { ok: allFine(checks), checks })

// The operating systems that the doctor's advice covers, and how programs are installed on each.

/** Linux, macOS, or another one. */
export type Platform = "linux" | "darwin" | "other"

/** The external programs that reviews may need. */
type Installed = "git" | "gh" | "lock"

const advice: Readonly<Record<Installed, Readonly<Record<Platform, string>>>> = {
  git: {
    linux: "install git (apt-get install git)",
    darwin: "install git (xcode-select --install)",
    other: "install git"
  },
  gh: {
    linux: "apt-get install gh, or see https://cli.github.com",
    darwin: "brew install gh, or see https://cli.github.com",
    other: "see https://cli.github.com"
  },
  lock: {
    linux: "install util-linux's flock (apt-get install util-linux), perl or python3",
    darwin: "install perl, python3 (xcode-select --install) or flock (brew install flock)",
    other: "install flock, perl or python3"
  }
}

/** How a program is installed on a platform; `lock` is one that can lock files. */
export const howToInstall = (what: Installed, platform: Platform): string => advice[what][platform]
