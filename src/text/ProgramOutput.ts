// ProgramOutput: the output of programs for people: the command that an error advises, the last activity.
import { cut, withoutHidden } from "./Untrusted.ts"

/** The command that git advises if it does not trust a repository's owner, in git's words; null without advice. */
export const adviceIn = (complaint: string): string | null =>
  /^\s*(git config --global --add safe\.directory \S.*)$/m.exec(complaint)?.[1]?.trim() ?? null

/**
 * The line of a complaint that says why a program failed, "" if it only warns. Warnings, and the trace of a shell
 * script, may come before it.
 */
export const reasonIn = (complaint: string): string => {
  const lines = complaint.split("\n").map((line) => line.trim()).filter((line) => line !== "")
  return lines.find((line) => /^(?:\w*error|fatal): /i.test(line)) ??
    lines.find((line) => !/^(?:warning|hint):/i.test(line)) ?? ""
}

/** A hunk of a diff: its command has printed something of the change. */
export const hunk = /^(?:\u001b\[[\d;]*m)*@@+ /m

const longest = 200

/** The beginning of a foreign line, safe for a terminal: no sequence, no hidden character, bounded. */
export const terminalLine = (line: string): string =>
  cut(withoutHidden(line.slice(0, 4 * longest).replaceAll("\t", " ")).trim(), longest)

/** A command without the shell around it. */
export const bareCommand = (command: string): string => /^\S*sh -l?c (['"])(.*)\1$/s.exec(command)?.[2] ?? command

/** The command of an `exec` block's line, without the shell around it and the directory after it. */
const commandOf = (line: string): string => bareCommand(line.replace(/ in \/\S*$/, ""))

/**
 * The last activity of a reviewer, from the end of its transcript: a command, a search, reconnecting, answering; or
 * null.
 */
export const lastActivity = (tail: string): string | null => {
  const rows = tail.split(/\r?\n/)
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i] ?? ""
    const next = rows[i + 1]
    if (row === "exec" && next !== undefined && next !== "") return terminalLine(`$ ${commandOf(next)}`)
    if (row === "codex") return "answering"
    if (row.startsWith("web search: ") || /^(?:\w+: )?Reconnecting\.\.\. /.test(row)) return terminalLine(row)
  }
  return null
}

/** The last activity of a reviewer, else the last line of its transcript. Empty if the end holds nothing. */
export const activityOf = (tail: string): string =>
  lastActivity(tail) ?? terminalLine(tail.split(/\r?\n/).findLast((row) => terminalLine(row) !== "") ?? "")
