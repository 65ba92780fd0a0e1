// Edit: what one edit of a file changed, by the names that tools give it, and the key by which it is known again.
import { canonicalJson, isFields, listOf, objectsOf, textOf } from "../text/Json.ts"
import { oneLine } from "../text/Untrusted.ts"
import { cutSafely, redact } from "../text/redaction/Redaction.ts"
import { sha256 } from "../platform/Sha256.ts"
import type { HookInput } from "./Event.ts"

/** The digest of a tool's name and its whole input. The order of keys makes no difference, anything else does. */
export const editKey = (toolName: string, toolInput: unknown): string => sha256(canonicalJson([toolName, toolInput]))

const names = [
  "file_path",
  "notebook_path",
  "path",
  "filePath",
  "target_filepath",
  "target_file",
  "relative_path",
  "filename"
] as const

const longest = 4096

/**
 * The file's path, absolute if the event has it; it may hold a secret. A file without a name is a new one for every
 * change, so that a pass of one clears no FAIL of another.
 */
export const editedPath = ({ cwd, tool, toolInput }: HookInput): string => {
  const given = isFields(toolInput) ? toolInput : {}
  const [path] = [given, ...objectsOf(given["edits"])]
    .flatMap((part) => names.map((name) => textOf(part[name]))).filter((text) => text !== "")
  if (path === undefined || path.length > longest) return `an unnamed file (${editKey(tool, toolInput).slice(0, 8)})`
  return path.startsWith("/") || cwd === "" ? path : `${cwd}/${path}`
}

/** A path as it is shown to whoever works in `cwd`, on one line. */
export const shownPath = (cwd: string, path: string): string =>
  oneLine(cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path)

// Characters of what a tool answered.
const mostAnswered = 500

/** What a tool answered to an edit, without secrets: its error, or its text; null where it says nothing. */
export const answeredText = (toolResponse: unknown): string | null => {
  const fields = isFields(toolResponse) ? toolResponse : {}
  const parts = [textOf(toolResponse), textOf(fields["error"]), textOf(fields["text"]), textOf(fields["message"])]
  const blocks = [...listOf(toolResponse), ...listOf(fields["content"])].map((one) =>
    isFields(one) ? textOf(one["text"]) : ""
  )
  const said = [...parts, ...blocks].filter((text) => text.trim() !== "").join("\n")
  return said === "" ? null : cutSafely(said, mostAnswered)
}

export interface Change {
  /** Where the file is: whole where the event tells it, and without secrets. */
  readonly path: string
  readonly before: string
  readonly after: string
}

/** The change that an event of an edit is about. */
export const changeOf = (input: HookInput): Change => {
  const { toolInput, toolResponse } = input
  const given = isFields(toolInput) ? toolInput : {}
  const answered = isFields(toolResponse) ? toolResponse : {}
  const parts = [given, ...objectsOf(given["edits"])]
  const all = (...names: ReadonlyArray<string>) =>
    parts.flatMap((part) => names.map((name) => textOf(part[name]))).filter((text) => text !== "")
  const before = all("old_string", "old_source").join("\n")
  return {
    path: redact(editedPath(input)),
    // A file that is written whole says nothing of what stood there; the tool's answer does.
    before: before === "" && textOf(given["content"]) !== "" ? textOf(answered["originalFile"]) : before,
    after: all("new_string", "content", "new_source", "code_edit", "patch").join("\n")
  }
}
