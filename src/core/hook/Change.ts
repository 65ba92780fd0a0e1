// Change: what an edit of a file took away, and what it put in its place, by the names that tools give these.
import { isFields, objectsOf, textOf } from "../text/Fields.ts"
import { redact } from "../text/redaction/Redact.ts"
import { editedPath } from "./EditedPath.ts"
import type { HookInput } from "./HookInput.ts"

/** A change of a file. */
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
