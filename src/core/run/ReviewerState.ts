// ReviewerState: what one look at a reviewer shows of it.

/**
 * What one look at an attempt shows. `silentFor` is the time since its transcript last made progress; `oversize`
 * says that the wrapper ended it because its transcript outgrew its limit while no step was looking.
 */
export type ReviewerState =
  | { readonly _tag: "Alive"; readonly silentFor: number; readonly waitingForNetwork: number; readonly bytes: number }
  | { readonly _tag: "Exited"; readonly status: number; readonly deadline: boolean; readonly oversize?: boolean }
  | { readonly _tag: "Lost" }
  | { readonly _tag: "Unstarted" }
