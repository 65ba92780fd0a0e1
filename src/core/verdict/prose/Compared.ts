// Compared: the words for what a change is compared with, for where it lies, and for looking at it.
// The one rule: who speaks of an empty change, of equal trees or of nothing to review means the same places.
import { quoted, quotedRead } from "./Sentences.ts"
import { words } from "./Words.ts"

/** What a change is compared with: "no differences from main". */
export const bases = words(`
  tree trees branch head base main master origin commit parent revision tip upstream merge-base develop trunk
  ${quoted} ${quotedRead}
`)

/** Where all of a change lies: "no changes in the range"; not "in the parser". */
export const ranges = words(`
  range branch tree index workspace worktree scope checkout diff it
`)

/** Verbs of a reviewer's looking: "nothing to inspect". */
export const inspecting = words(`
  review reviewed inspect compare assess analyze analyse evaluate examine check diff judge critique
`)
