// Strict histories: whatever happens to a working copy and to two orchestrators on it, a fixed point is never reported
// unless every level's last clean batch saw exactly what is there. OODA_HISTORIES says how many are tried.
import * as fc from "fast-check"
import { describe, it } from "vitest"
import { useBench } from "../crash/cli/bench.ts"
import { beginHistory, type Command, command } from "./strictHistory.ts"

const bench = useBench()

const numRuns = Number(process.env["OODA_HISTORIES"] ?? "2")
const minutes = 60_000

const playing = async (base: string, isolated: boolean, commands: ReadonlyArray<Command>): Promise<void> => {
  const { finish, play, counts } = beginHistory(bench(), base)
  for (const one of commands) await play(one)
  await finish(isolated)
  if (process.env["OODA_HISTORIES"] !== undefined) {
    console.log(`${commands.length} commands, ${counts.fixedPoints} fixed points, ${counts.deaths} deaths`)
  }
}

describe.each([["what is not committed", ""], ["a branch against its base", "main"]])("histories of %s", (_, base) => {
  it("never end in a false fixed point", { tags: "slow", timeout: 10 * minutes + numRuns * minutes }, () =>
    fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(command, { minLength: 6, maxLength: 16 }), (isolated, commands) =>
        playing(base, isolated, commands)),
      { numRuns, endOnFailure: numRuns < 20 }
    ))
})
