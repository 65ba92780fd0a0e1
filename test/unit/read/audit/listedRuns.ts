// listedRuns: the runs on a bench as `runs --json` lists them.
import { assert } from "vitest"
import type { bench } from "./writtenRuns.ts"

/** A run as `runs --json` lists it. */
interface Listed {
  readonly run: { readonly run: string }
  readonly floor: string | null
  readonly milliseconds: number | null
  readonly level: string | null
  readonly reviews: number
  readonly batches: number
  readonly reason: string
  readonly text: string
}

/** What `runs --json` lists on a bench. */
export const listedOn =
  (b: ReturnType<typeof bench>) =>
  async (fields: Parameters<typeof b.runs>[0] = {}, cwd?: string): Promise<ReadonlyArray<Listed>> => {
    const { code, out, stderr } = await b.ask(b.runs({ json: true, ...fields }), cwd === undefined ? {} : { cwd })
    assert.deepEqual([code, stderr], [0, ""])
    const document = JSON.parse(out)
    assert.strictEqual(document.schema, 1)
    const runs: ReadonlyArray<Listed> = document.runs
    return runs
  }
