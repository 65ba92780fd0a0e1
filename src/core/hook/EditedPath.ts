// EditedPath: the file that an edit is about, by the names that tools give it.
// Nothing of Effect is loaded with it.
import { isFields, objectsOf, textOf } from "../text/Fields.ts"
import { editKey } from "./EditKey.ts"
import type { HookInput } from "./HookInput.ts"

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
 * The file's path, whole where the event tells it; what stands there may be a secret. A file whose name no event tells
 * is another one for every change, so that a pass of one clears no FAIL of another.
 */
export const editedPath = ({ cwd, tool, toolInput }: HookInput): string => {
  const given = isFields(toolInput) ? toolInput : {}
  const [path] = [given, ...objectsOf(given["edits"])]
    .flatMap((part) => names.map((name) => textOf(part[name]))).filter((text) => text !== "")
  if (path === undefined || path.length > longest) return `an unnamed file (${editKey(tool, toolInput).slice(0, 8)})`
  return path.startsWith("/") || cwd === "" ? path : `${cwd}/${path}`
}

/** A path as it is shown to whoever works in `cwd`. */
export const shownPath = (cwd: string, path: string): string =>
  cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path
