// Help: what a subcommand prints about itself: its help, and what is wrong with its arguments.
import { Effect } from "effect"
import { CliError, CliOutput } from "effect/cli"
import { misused, printed } from "../cli/ending.ts"
import { named, spelt } from "../cli/quoted.ts"

// effect/cli says this of a flag that is given twice, and has no error of its own for it.
const once = "at most 1 value"

/** What is wrong, in one line of bounded length. */
const problemOf = (error: CliError.CliError): string => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const option = named(error.option.replace(/^---/, "-"))
      const { message } = new CliError.UnrecognizedOption({ ...error, option, suggestions: [] })
      // Every single letter is at most two changes away from `--pr`, so a suggestion would be noise.
      const meant = /^--?.?$/.test(option) ? [] : error.suggestions
      return meant.length === 0 ? message : `${message} (did you mean ${meant.join(" or ")}?)`
    }
    case "InvalidValue":
      return error.expected === once
        ? `${spelt(error.option)} is given more than once`
        : new CliError.InvalidValue({ ...error, value: named(error.value) }).message
          .replace(`flag --${error.option}`, `flag ${spelt(error.option)}`)
    case "UnexpectedArgument":
      return new CliError.UnexpectedArgument({ arguments: error.arguments.slice(0, 1).map(named) }).message
    default:
      return error.message
  }
}

const plain = CliOutput.defaultFormatter({ colors: false })

// effect/cli spells every flag with two dashes.
const short = (line: string): string => line.replace(/^( +)--(\w [A-Z]+)/, "$1-$2 ")

const widest = 120

/** A line of help that is too wide goes on below the column in which its text begins. */
const wrapped = (line: string): string => {
  const [, lead = "", text = ""] = line.length > widest ? /^( +-.*? {2,})(\S.*)$/.exec(line) ?? [] : []
  if (text === "") return line
  const made = [""]
  for (const word of text.split(" ")) {
    const last = made.at(-1) ?? ""
    if (last !== "" && lead.length + last.length + 1 + word.length > widest) made.push(word)
    else made.splice(-1, 1, last === "" ? word : `${last} ${word}`)
  }
  return lead + made.join(`\n${" ".repeat(lead.length)}`)
}

/** Formats as effect/cli does, but help begins as that of a step: with the program's name and what it is. */
export const formatter: CliOutput.Formatter = {
  ...plain,
  formatHelpDoc: (doc) =>
    `${doc.commandPath?.join(" ") ?? ""} ${doc.description}\n\n` +
    plain.formatHelpDoc({ ...doc, description: "" }).split("\n").map(short).map(wrapped).join("\n"),
  formatErrors: ([first]) => first === undefined ? "" : problemOf(first)
}

/** The ending of a call that effect/cli answers: help, or one line about the misuse and then the help, as in a step. */
export const presented = Effect.fnUntraced(function*(event: CliOutput.Presenter.Event) {
  const { formatErrors, formatHelpDoc } = yield* CliOutput.Formatter
  switch (event._tag) {
    case "Help":
      return printed(formatHelpDoc(event.helpDoc))
    case "InvalidInvocation":
      return misused(formatErrors(event.errors), formatHelpDoc(event.helpDoc))
    case "Version":
      return printed(event.version)
  }
})
