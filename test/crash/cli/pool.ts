// pool: many independent trials, a few at a time; all failures are reported together.
// Every trial runs, and one failure is enough for the whole to fail.
import * as os from "node:os"

// Trials wait for reviewers and pauses now and then, so a few more than there are processors keep those busy.
const atOnce = os.availableParallelism() + 1

const mostShown = 8

/** Runs `trial` on every item; fails with the first failures in the order of the items. */
export const trials = async <A>(
  items: ReadonlyArray<A>,
  trial: (item: A, index: number) => Promise<void>
): Promise<void> => {
  const failures: Array<{ readonly index: number; readonly error: unknown }> = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      const item = items[index]
      if (item === undefined) continue
      try {
        await trial(item, index)
      } catch (error) {
        failures.push({ index, error })
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failures.length === 0) return
  const texts = failures.sort((a, b) => a.index - b.index).slice(0, mostShown).map(({ error }) =>
    error instanceof Error ? error.stack ?? error.message : String(error)
  )
  throw new Error(`${failures.length} of ${items.length} trials failed:\n${texts.join("\n")}`)
}
