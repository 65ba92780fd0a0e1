// Edit: the change that one edit of a file made, from the tools' input, and its key for recognizing it again.
import { canonicalJson, isFields, listOf, objectsOf, textOf } from "../text/Json.ts"
import { oneLine } from "../text/Untrusted.ts"
import { cutSafely, redact } from "../text/redaction/Redaction.ts"
import { sha256 } from "../platform/Sha256.ts"
import type { HookInput } from "./Event.ts"

/**
 * The digest of a tool's name, its whole input (independent of the order of keys), and of what the file holds after it:
 * the same edit of other code is another edit.
 */
export const editKey = (toolName: string, toolInput: unknown, file = ""): string =>
  sha256(canonicalJson([toolName, toolInput, ...file === "" ? [] : [file]]))

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
 * The file's path, absolute if the event has it; it may hold a secret. A change without a file name gets a name of its
 * own, so that its PASS clears no other FAIL.
 */
export const editedPath = ({ cwd, tool, toolInput }: HookInput): string => {
  const given = isFields(toolInput) ? toolInput : {}
  const [path] = [given, ...objectsOf(given["edits"])]
    .flatMap((part) => names.map((name) => textOf(part[name]))).filter((text) => text !== "")
  if (path === undefined || path.length > longest) return `an unnamed file (${editKey(tool, toolInput).slice(0, 8)})`
  return path.startsWith("/") || cwd === "" ? path : `${cwd}/${path}`
}

/** A path for somebody who works in `cwd`, on one line. */
export const shownPath = (cwd: string, path: string): string =>
  oneLine(cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path)

// Characters of what a tool answered.
const mostAnswered = 500

/** The tool's answer to an edit, without secrets: its error, or its text; null without either. */
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
  /** The file's place: its full path if the event has it, without secrets. */
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
    // The input of a tool that writes a whole file lacks the old text; the tool's answer has it.
    before: before === "" && textOf(given["content"]) !== "" ? textOf(answered["originalFile"]) : before,
    after: all("new_string", "content", "new_source", "code_edit", "patch").join("\n")
  }
}
