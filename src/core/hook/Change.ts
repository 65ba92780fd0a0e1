// Change: what an edit of a file took away, and what it put in its place, by the names that tools give these.
import { isFields, objectsOf, textOf } from "../text/Fields.ts"
import { redact } from "../text/redaction/Redact.ts"
import { editKey } from "./EditKey.ts"
import type { HookInput } from "./HookInput.ts"

/** A change of a file. */
export interface Change {
  /** Where the file is: whole where the event tells it, and without secrets. */
  readonly path: string
  readonly before: string
  readonly after: string
}

/** What stands for a file whose name no event tells. A pass of one such change clears no FAIL of another. */
const unnamed = ({ tool, toolInput }: HookInput): string => `an unnamed file (${editKey(tool, toolInput).slice(0, 8)})`

const longest = 4096

/** The change that an event of an edit is about. */
export const changeOf = (input: HookInput): Change => {
  const { cwd, toolInput, toolResponse } = input
  const given = isFields(toolInput) ? toolInput : {}
  const answered = isFields(toolResponse) ? toolResponse : {}
  const parts = [given, ...objectsOf(given["edits"])]
  const all = (...names: ReadonlyArray<string>) =>
    parts.flatMap((part) => names.map((name) => textOf(part[name]))).filter((text) => text !== "")
  const [path] = all(
    "file_path",
    "notebook_path",
    "path",
    "filePath",
    "target_filepath",
    "target_file",
    "relative_path",
    "filename"
  )
  const before = all("old_string", "old_source").join("\n")
  return {
    path: path === undefined || path.length > longest
      ? unnamed(input)
      : redact(path.startsWith("/") || cwd === "" ? path : `${cwd}/${path}`),
    // A file that is written whole says nothing of what stood there; the tool's answer does.
    before: before === "" && textOf(given["content"]) !== "" ? textOf(answered["originalFile"]) : before,
    after: all("new_string", "content", "new_source", "code_edit", "patch").join("\n")
  }
}

/** A path as it is shown to whoever works in `cwd`. */
export const shownPath = (cwd: string, path: string): string =>
  cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path
