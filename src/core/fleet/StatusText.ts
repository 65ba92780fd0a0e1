// StatusText: where the targets of a fleet stand, as a table and as a document.
import { columns } from "../text/Columns.ts"
import { jsonText } from "../text/JsonText.ts"
import { span } from "../text/Phrases.ts"
import { oneLine } from "../text/Text.ts"

/** A target as it is shown. `since` in epoch milliseconds; `end` tells how the last turn of its run ended. */
export interface Shown {
  readonly repo: string
  readonly target: string
  readonly submission: number
  readonly head: string | null
  readonly standing: string
  readonly since: number
  readonly run: string | null
  readonly end: { readonly header: string; readonly code: number } | null
}

/** One line a target, the one that changed last first. */
export const statusTable = (targets: ReadonlyArray<Shown>, now: number): string =>
  targets.length === 0 ? "nothing was submitted\n" : columns([
    ["REPOSITORY", "TARGET", "HEAD", "STANDS", "FOR", "RUN", "LAST TURN"],
    ...targets.map(({ end, head, repo, run, since, standing, target }) => [
      oneLine(repo),
      target,
      head?.slice(0, 12) ?? "-",
      standing.toLowerCase(),
      span(Math.max(0, now - since)),
      run ?? "-",
      oneLine(end?.header ?? "-")
    ])
  ])

/** The same as one document. */
export const statusJson = (targets: ReadonlyArray<Shown>): string =>
  `${
    jsonText({
      schema: 1,
      targets: targets.map(({ end, since, standing, ...rest }) => ({
        ...rest,
        standing: standing.toLowerCase(),
        since: new Date(since).toISOString(),
        header: end?.header ?? null,
        exitCode: end?.code ?? null
      }))
    })
  }\n`
