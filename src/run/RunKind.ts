// RunKind: which runs are plan runs, and the marker of their logs. Loads no event of a plan.

/** The name of the log of a plan run, and the event that begins it. */
export const planLog = {
  kind: "plan",
  genesis: { event: "PlanStarted", binds: ["runId", "nonce"] }
} as const

/** Whether a run is a plan run, by its target: no branch, commit or pull request has this name. */
export const isPlanRun = ({ targetKey }: { readonly targetKey: string }): boolean => targetKey.startsWith("plan/")
