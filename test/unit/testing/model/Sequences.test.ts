// Sequences: random commands of every kind, and the shortest sequence as the counterexample.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { sequences } from "../../../../src/testing/model/Commands.ts"
import { drawn } from "../arbitraries/drawn.ts"

const names = (sequence: Iterable<{ readonly toString: () => string }>): ReadonlyArray<string> =>
  [...sequence].map((command) => `${command}`)

describe("sequences", () => {
  it("are no longer than is asked for", () => {
    for (const one of drawn(sequences(5))) assert.isAtMost([...one].length, 5)
  })

  it("hold every command and every flag there is", () => {
    const all = drawn(sequences(12), 2000).flatMap(names)
    for (
      const kind of [
        /^call [a-z]+\.\.[a-z]+ -n \d/,
        /^call .* --fresh/,
        /^call .* bounded/,
        /^inspect /,
        /^two calls /,
        /^stop$/,
        /^edit code-2$/,
        /^wait 20000$/,
        / while, after \d+, (call|--)/,
        / ended by (SIGINT|SIGTERM|interruption) /,
        / cut at \d/,
        /^call .* killed at \d/,
        /^--.* killed at \d/,
        /^--mark-retro-clean/,
        /^--mark-retro-changes/,
        /^--mark-address-passed/,
        /^--mark-address-failed/,
        /^--advance-level/,
        /^--drop-level/,
        /^--restart-from-floor/
      ]
    ) assert.isTrue(all.some((name) => kind.test(name)), `${kind}`)
  })

  it("shrink to the shortest one that fails", () => {
    const short = fc.property(sequences(12), (one) => !names(one).some((name) => name === "stop"))
    const { counterexample } = fc.check(short, { seed: 7, numRuns: 1000 })
    assert.deepStrictEqual(names(counterexample?.[0] ?? []).slice(-1), ["stop"])
  })
})
