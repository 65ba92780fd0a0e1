// Activity: what a reviewer was last seen doing, in a few words, from the end of its transcript.
// The one rule: for people to look at and nothing else; no control character of a transcript reaches a terminal.

// Terminal sequences whole, so that no rest of one stays behind as text; then whatever else is not to be seen.
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]P^_X][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g
const invisible = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g
const longest = 200

/** A line of foreign text as it may stand on a terminal: no control, direction or invisible character, bounded. */
export const printable = (line: string): string => {
  const plain = line.slice(0, 4 * longest).replace(sequences, "").replaceAll("\t", " ").replace(invisible, "")
  return plain.trim().slice(0, longest)
}

/** The command of an `exec` block's line, without the shell around it and the directory behind it. */
const commandOf = (line: string): string => {
  const bare = line.replace(/ in \/\S*$/, "")
  return /^\S*sh -l?c (['"])(.*)\1$/s.exec(bare)?.[2] ?? bare
}

/**
 * What a transcript's end tells that the reviewer was doing: the command that was started last, a web search, codex
 * reconnecting, the answer being written; null when it tells of none of these.
 */
export const doing = (tail: string): string | null => {
  const rows = tail.split(/\r?\n/)
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i] ?? ""
    const next = rows[i + 1]
    if (row === "exec" && next !== undefined && next !== "") return printable(`$ ${commandOf(next)}`)
    if (row === "codex") return "answering"
    if (row.startsWith("web search: ") || /^(?:\w+: )?Reconnecting\.\.\. /.test(row)) return printable(row)
  }
  return null
}

/** What a reviewer was doing, else the last line of its transcript. Empty when the end holds nothing. */
export const activityOf = (tail: string): string =>
  doing(tail) ?? printable(tail.split(/\r?\n/).findLast((row) => printable(row) !== "") ?? "")
