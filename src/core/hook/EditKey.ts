// EditKey: the name by which one edit is known again, so that the same edit is not reviewed twice.
import { canonicalJson } from "../text/JsonText.ts"
import { sha256 } from "../text/Sha256.ts"

/** The digest of a tool's name and its whole input. The order of keys makes no difference, anything else does. */
export const editKey = (toolName: string, toolInput: unknown): string => sha256(canonicalJson([toolName, toolInput]))
