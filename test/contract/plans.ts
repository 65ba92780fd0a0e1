// What the fake codex can do: fragments of sh over the functions of fake/codex.
// The texts have the real CLI's shape; a name says what is odd about its text.
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The body on standard output, transcript and body on standard error. */
export const says = (body: string): string => `review ${quoted(body)}`
export const saysOnOneStream = (body: string): string => `one_stream ${quoted(body)}`
export const failsWith = (status: number, message: string): string => `fail ${status} ${quoted(message)}`

export const SOUND = "The change keeps the documented behaviour and its tests cover both branches. I found no defects."
export const TITLE = "[P1] Guard against a null user"
export const FLAWED = [
  "The patch can crash on a missing user.",
  "",
  "Review comment:",
  "",
  `- ${TITLE} — tracked.txt:1-1`,
  "  `user` may be null here, which crashes the request."
].join("\n")

export const clean = says(SOUND)
export const issues = says(FLAWED)
/** Exit 0 without a body. */
export const empty = "printf 'OpenAI Codex v0.169.0\\n--------\\n' >&2; exit 0"
/** Waits until the test lets it continue. */
export const blocked = (then: string, name = "release"): string => `block ${name}\n${then}`
/** Changes a tracked file of the worktree while it reviews it. */
export const editing = (then: string): string => `printf 'edited\\n' >> tracked.txt\n${then}`
