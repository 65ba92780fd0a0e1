// Scope: what the work of a plan's agents is held against.
import { indented } from "../driven/PromptParts.ts"
import type { Identity } from "../run/Identity.ts"
import type { CycleState } from "./PlanState.ts"

/** What is not committed; what the worktree holds against its merge base with a revision; all that it holds. */
export type Scope =
  | { readonly _tag: "Uncommitted" }
  | { readonly _tag: "Since"; readonly revision: string }
  | { readonly _tag: "Everything" }

/**
 * The scope that holds all that was done since a cycle began. If HEAD is another commit now, the work may be committed.
 * If no commit tells what stood there before, the work may be anything.
 */
export const scopeSince = ({ started: { content: { head } } }: CycleState, now: Identity): Scope => {
  if (head === now.head) return { _tag: "Uncommitted" }
  return typeof head === "string" ? { _tag: "Since", revision: head } : { _tag: "Everything" }
}

/** The part of a prompt that says what is to be looked at. */
export const scopePart = (scope: Scope): string => {
  switch (scope._tag) {
    case "Uncommitted":
      return "The work is what is not committed in this worktree: `git status`, `git diff HEAD`, and the files that " +
        "git does not track yet."
    case "Since":
      return "The work is what this worktree holds against its merge base with the revision below, committed or not: " +
        "`git diff $(git merge-base HEAD <revision>)`, and the files that git does not track yet.\n\n" +
        indented([scope.revision])
    case "Everything":
      return "The work is all that this worktree holds, committed or not: `git ls-files`, and the files that git " +
        "does not track yet."
  }
}
